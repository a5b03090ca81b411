/*
 * A wait for a lock, as hooks make it. It is closed where it is left otherwise,
 * too: by a thread that is cancelled in it, or by a signal handler's longjmp.
 * libc then calls what was pushed: the first form of its cleanup handlers,
 * which needs no compiler's help.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_WAITING_H
#define SHIM_HOOK_WAITING_H

#include <pthread.h>

#include "hook_child.h"
#include "sigsafe/locks/contention.h"

void _pthread_cleanup_push(struct _pthread_cleanup_buffer *buffer,
			   void (*routine)(void *), void *argument);
void _pthread_cleanup_pop(struct _pthread_cleanup_buffer *buffer, int execute);

struct waiting {
	struct lock_wait wait;
	struct _pthread_cleanup_buffer cleanup;
};

/* libc may be wrong, and the wait go on: then its end is none. */
static inline void waiting_abandon(void *abandoned)
{
	struct lock_wait *wait = abandoned;

	contention_wait_end(wait, WAIT_GAVE_UP);
	wait->recording = NULL;
}

/* Pairs with waiting_end(), or is abandoned. */
static inline void waiting_begin(struct waiting *waiting, struct lock lock,
				 const void *caller)
{
	start_if_forked();
	contention_wait_begin(&waiting->wait, lock, caller);
	if (waiting->wait.recording)
		_pthread_cleanup_push(&waiting->cleanup, waiting_abandon,
				      &waiting->wait);
}

static inline void waiting_end(struct waiting *waiting,
			       enum wait_outcome outcome)
{
	if (waiting->wait.recording)
		_pthread_cleanup_pop(&waiting->cleanup, 0);
	contention_wait_end(&waiting->wait, outcome);
}

#endif
