/*
 * Round a hooked call that a tick would cut short: no tick comes while it
 * lasts.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_BLOCK_H
#define SHIM_HOOK_BLOCK_H

#include <fcntl.h>

#include "sigsafe/live.h"
#include "sigsafe/loops/watch.h"
#include "sigsafe/thread.h"

/*
 * May a tick come? Not in a forked child yet, nor after seccomp, where no call
 * may be made.
 */
static inline bool hook_is_ticked(void)
{
	return unlikely(thread_self.armed) &&
	       thread_self.recording == live_recording();
}

/* The kernel makes so many at once, and then looks for signals. */
#define RANDOM_AT_ONCE_BYTES 256

static inline enum blocking_call call_of_getrandom(size_t bytes)
{
	return bytes > RANDOM_AT_ONCE_BYTES ? CALL_GETRANDOM : CALL_NONE;
}

/* Into a socket it goes on until all is sent, unless told not to block. */
static inline enum blocking_call call_of_splice(unsigned int flags)
{
	return flags & SPLICE_F_NONBLOCK ? CALL_NONE : CALL_SPLICE;
}

/* watch_block_end() must follow. */
static inline struct block hook_block_begin(enum blocking_call call,
					    const void *caller)
{
	if (call == CALL_NONE)
		return (struct block){ .is_timed = false };
	return watch_block_begin(call, caller);
}

#endif
