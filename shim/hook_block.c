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
#include "hook_work.h"

/* Does a thread wait for work by it? */
static inline bool brings_work(enum blocking_call call)
{
	return call == CALL_MSGRCV || call == CALL_SEMOP ||
	       call == CALL_SEMTIMEDOP;
}

static inline enum block_end end_of_work(enum blocking_call call)
{
	return call == CALL_SEMTIMEDOP ? BLOCK_AT_DEADLINE : BLOCK_BY_OTHERS;
}

#define X(result, name, parameters, arguments, call)                           \
	HOOK result name parameters                                            \
	{                                                                      \
		enum blocking_call as = call;                                  \
		struct call_site site = CALL_SITE_HERE;                        \
		bool works = brings_work(as) && hook_may_work(&site, true);    \
		struct block block =                                           \
			works ? hook_work_begin(as, &site, end_of_work(as))    \
			      : hook_block_begin(as, CALLER);                  \
		result got = real.name arguments;                              \
                                                                               \
		hook_work_end(works, &block);                                  \
		return got;                                                    \
	}
HOOKS_BLOCK(X)
#undef X

HOOK_ALSO(close, __close);
HOOK_ALSO(dup2, __dup2);
HOOK_ALSO(fclose, _IO_fclose);
