/*
 * More locks than anybody can keep apart, each of them waited for.
 *
 * usage: victim_many_locks HOW LOCKS
 *   in_turn   two threads go through the locks: one holds each until the other
 *             waits for it
 *   at_once   each lock is waited for by a thread of its own, all at once
 *   anew      one lock is made, waited for and destroyed again and again, in
 *             the same place
 * prints "waits N resident N": how often a lock was waited for, and how many KB
 * the process had in memory at most
 *
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "victim.h"

static pthread_mutex_t *locks;
static int count;
static atomic_int held; /* locks[0] to locks[held - 1] have been */

static __attribute__((noinline, noclone)) void release(pthread_mutex_t *lock)
{
	pthread_mutex_unlock(lock);
	__asm__ volatile("");
}

static pthread_mutex_t *lock_of_turn(const char *how, int turn)
{
	return &locks[strcmp(how, "anew") ? turn : 0];
}

static void *wait_in_turn(void *how)
{
	for (int i = 0; i < count; i++) {
		pthread_mutex_t *lock = lock_of_turn(how, i);

		while (atomic_load(&held) <= i)
			sched_yield();
		pthread_mutex_lock(lock);
		pthread_mutex_unlock(lock);
		atomic_store(&held, -(i + 1));
	}
	return NULL;
}

static void hold_in_turn(char *how)
{
	bool anew = !strcmp(how, "anew");
	pthread_t waiter;

	pthread_create(&waiter, NULL, wait_in_turn, how);
	for (int i = 0; i < count; i++) {
		pthread_mutex_t *lock = lock_of_turn(how, i);

		if (anew)
			pthread_mutex_init(lock, NULL);
		pthread_mutex_lock(lock);
		atomic_store(&held, i + 1);
		await_waiter(lock);
		release(lock);
		while (atomic_load(&held) > 0)
			sched_yield();
		if (anew)
			pthread_mutex_destroy(lock);
	}
	pthread_join(waiter, NULL);
}

static void *wait_once(void *lock)
{
	pthread_mutex_lock(lock);
	pthread_mutex_unlock(lock);
	return NULL;
}

static void hold_at_once(void)
{
	pthread_t *waiters = calloc((size_t)count, sizeof(*waiters));

	for (int i = 0; i < count; i++) {
		pthread_mutex_lock(&locks[i]);
		if (pthread_create(&waiters[i], NULL, wait_once, &locks[i]))
			abort();
	}
	for (int i = 0; i < count; i++)
		await_waiter(&locks[i]);
	for (int i = 0; i < count; i++)
		release(&locks[i]);
	for (int i = 0; i < count; i++)
		pthread_join(waiters[i], NULL);
	free(waiters);
}

int main(int argc, char **argv)
{
	struct rusage usage;

	if (argc != 3)
		return 2;
	count = atoi(argv[2]);
	locks = calloc((size_t)count, sizeof(*locks));
	if (!locks)
		return 1;
	if (!strcmp(argv[1], "at_once"))
		hold_at_once();
	else
		hold_in_turn(argv[1]);
	getrusage(RUSAGE_SELF, &usage);
	printf("waits %d resident %ld\n", count, usage.ru_maxrss);
	return 0;
}
