/*
 * A thread that wants a lock again and again, so that whoever lets go of it has
 * made it wait.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef E2E_VICTIM_RIVAL_H
#define E2E_VICTIM_RIVAL_H

#include <pthread.h>
#include <stdatomic.h>

struct rival {
	pthread_mutex_t *lock;
	const atomic_bool *is_over;
};

/* The thread's function: of a struct rival, until that is over. */
static inline void *want_lock(void *rival)
{
	const struct rival *self = rival;

	while (!atomic_load(self->is_over)) {
		pthread_mutex_lock(self->lock);
		pthread_mutex_unlock(self->lock);
	}
	return NULL;
}

#endif
