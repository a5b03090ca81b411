/*
 * The rare calls that a tick would cut short: System V's queues and
 * semaphores, asynchronous input. No tick comes while one lasts. They are late
 * to tell of: the stack is the one that made the call.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include "hook_block.h"
#include "hook_settings.h"

#define X(result, name, parameters, arguments, call)                           \
	HOOK result name parameters                                            \
	{                                                                      \
		struct block block = hook_block_begin(call, CALLER);           \
		result got = real.name arguments;                              \
                                                                               \
		watch_block_end(&block);                                       \
		return got;                                                    \
	}
HOOKS_BLOCK(X)
#undef X
