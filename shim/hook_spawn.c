/*
 * Programs that are started beside this one. They inherit the signal mask: the
 * host's, not the one that leaves the tick signal open.
 *
 * No tick comes while libc starts one, with every signal blocked until it is
 * another program; nor while system() waits, where the host has every signal
 * blocked. That it could not come is then known.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include <stdlib.h>

#include "hook_block.h"
#include "sigsafe/signals/host_mask.h"

#define WITHOUT_TICKS(type, number, call)                                      \
	struct block block = hook_block_begin(number, CALLER);                 \
	type result = call;                                                    \
                                                                               \
	watch_block_end(&block);                                               \
	return result

/* Otherwise a tick comes in its wait for the shell to end, and breaks none. */
static enum blocking_call call_of_system(void)
{
	return host_mask_is_open() ? CALL_SHELL : CALL_NONE;
}

HOOK int system(const char *command)
{
	WITHOUT_TICKS(int, call_of_system(), real.system(command));
}

HOOK FILE *popen(const char *command, const char *mode)
{
	WITHOUT_TICKS(FILE *, CALL_POPEN, real.popen(command, mode));
}

HOOK_ALSO(popen, _IO_popen);

/* version: HOOK_OF_NOW() or HOOK_OF_BEFORE() */
#define SPAWN(hook, version)                                                   \
	version;                                                               \
	HOOK int hook SPAWN_PARAMETERS;                                        \
                                                                               \
	int hook SPAWN_PARAMETERS                                              \
	{                                                                      \
		WITHOUT_TICKS(int, CALL_SPAWN, real.hook SPAWN_ARGUMENTS);     \
	}

SPAWN(spawn_new, HOOK_OF_NOW(spawn_new, posix_spawn, VERSION_SPAWN))
SPAWN(spawnp_new, HOOK_OF_NOW(spawnp_new, posix_spawnp, VERSION_SPAWN))
#if HAS_OLD_SPAWN
SPAWN(spawn_old, HOOK_OF_BEFORE(spawn_old, posix_spawn, VERSION_FIRST))
SPAWN(spawnp_old, HOOK_OF_BEFORE(spawnp_old, posix_spawnp, VERSION_FIRST))
#endif
