/*
 * A library that is loaded at run time, with a lock of its own: one thread
 * holds it until another one waits.
 *
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <unistd.h>

#include "victim.h"

void plugin_contend(pthread_mutex_t *ours);
void plugin_release(pthread_mutex_t *lock);

static pthread_mutex_t plugin_lock = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for(void *lock)
{
	pthread_mutex_lock(lock);
	pthread_mutex_unlock(lock);
	return NULL;
}

__attribute__((noinline, noclone)) void plugin_release(pthread_mutex_t *lock)
{
	pthread_mutex_unlock(lock);
	__asm__ volatile("");
}

/* Of the library's own lock, or of one of the program's. */
void plugin_contend(pthread_mutex_t *ours)
{
	pthread_mutex_t *lock = ours ? ours : &plugin_lock;
	pthread_t waiter;

	pthread_mutex_lock(lock);
	pthread_create(&waiter, NULL, wait_for, lock);
	await_waiter(lock);
	spin(5 * NS_PER_MS);
	plugin_release(lock);
	pthread_join(waiter, NULL);
}
