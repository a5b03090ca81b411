/*
 * The hooked functions that start other programs, exec's family aside: their
 * part of the one list (hook.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_LIST_SPAWN_H
#define SHIM_HOOK_LIST_SPAWN_H

#include <spawn.h>
#include <stdio.h>

#include "hook_versions.h"

#define HOOKS_SPAWN(X)                                                         \
	X(int, system, (const char *command), (command))                       \
	X(FILE *, popen, (const char *command, const char *mode),              \
	  (command, mode))

#define SPAWN_PARAMETERS                                                       \
	(pid_t * child, const char *path,                                      \
	 const posix_spawn_file_actions_t *actions,                            \
	 const posix_spawnattr_t *attr, char *const argv[],                    \
	 char *const envp[])
#define SPAWN_ARGUMENTS (child, path, actions, attr, argv, envp)

#define HOOKS_SPAWN_VERSIONED(X)                                               \
	HOOKS_OLD_SPAWN(X)                                                     \
	X(int, spawn_new, SPAWN_PARAMETERS, SPAWN_ARGUMENTS, posix_spawn,      \
	  VERSION_SPAWN)                                                       \
	X(int, spawnp_new, SPAWN_PARAMETERS, SPAWN_ARGUMENTS, posix_spawnp,    \
	  VERSION_SPAWN)

#if HAS_OLD_SPAWN
#define HOOKS_OLD_SPAWN(X)                                                     \
	X(int, spawn_old, SPAWN_PARAMETERS, SPAWN_ARGUMENTS, posix_spawn,      \
	  VERSION_FIRST)                                                       \
	X(int, spawnp_old, SPAWN_PARAMETERS, SPAWN_ARGUMENTS, posix_spawnp,    \
	  VERSION_FIRST)
#else
#define HOOKS_OLD_SPAWN(X)
#endif

#endif
