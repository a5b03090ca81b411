/*
 * Barriers: waiting that nobody is charged for.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include "hook_waiting.h"

HOOK int pthread_barrier_wait(pthread_barrier_t *b)
{
	struct lock lock = { .address = b, .kind = LOCK_BARRIER };
	struct waiting waiting;
	int result;

	waiting_begin(&waiting, lock, CALLER);
	result = real.pthread_barrier_wait(b);
	/* glibc tells the last to come, who waited for nobody. */
	waiting_end(&waiting, result == PTHREAD_BARRIER_SERIAL_THREAD
				      ? WAIT_WITHDRAWN
				      : WAIT_ACQUIRED);
	return result;
}

HOOK int pthread_barrier_init(pthread_barrier_t *b,
			      const pthread_barrierattr_t *attr,
			      unsigned int count)
{
	contention_forget(b);
	return real.pthread_barrier_init(b, attr, count);
}

HOOK int pthread_barrier_destroy(pthread_barrier_t *b)
{
	int err = real.pthread_barrier_destroy(b);

	if (!err)
		contention_forget(b);
	return err;
}
