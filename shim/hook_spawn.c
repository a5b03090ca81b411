/*
 * Programs that are started beside this one. They inherit the signal mask: the
 * host's, not the one that leaves the tick signal open.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include <stdlib.h>

#include "sigsafe/host_mask.h"

#define WITH_HOSTS_MASK(type, call)                                            \
	kernel_sigset mask = host_mask_hand_on();                              \
	type result = call;                                                    \
                                                                               \
	host_mask_take_back(mask);                                             \
	return result

HOOK int system(const char *command)
{
	WITH_HOSTS_MASK(int, real.system(command));
}

HOOK FILE *popen(const char *command, const char *mode)
{
	WITH_HOSTS_MASK(FILE *, real.popen(command, mode));
}

/* version: HOOK_OF_NOW() or HOOK_OF_BEFORE() */
#define SPAWN(hook, version)                                                   \
	version;                                                               \
	HOOK int hook SPAWN_PARAMETERS;                                        \
                                                                               \
	int hook SPAWN_PARAMETERS                                              \
	{                                                                      \
		WITH_HOSTS_MASK(int, real.hook SPAWN_ARGUMENTS);               \
	}

SPAWN(spawn_new, HOOK_OF_NOW(spawn_new, posix_spawn, VERSION_SPAWN))
SPAWN(spawnp_new, HOOK_OF_NOW(spawnp_new, posix_spawnp, VERSION_SPAWN))
#if HAS_OLD_SPAWN
SPAWN(spawn_old, HOOK_OF_BEFORE(spawn_old, posix_spawn, VERSION_FIRST))
SPAWN(spawnp_old, HOOK_OF_BEFORE(spawnp_old, posix_spawnp, VERSION_FIRST))
#endif
