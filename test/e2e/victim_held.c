/*
 * A lock on main's stack that a thread keeps for good, while another one waits
 * for it.
 *
 * usage: victim_held quiet|waited|stalled|itself
 *   quiet    the keeper finds the lock free
 *   waited   the keeper has to wait for it first
 *   stalled  the keeper is an event loop, and computes with the lock held
 *   itself   the keeper is an event loop, and locks it once more
 * prints "ready" when the visitor waits, and goes on for ever
 *
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "victim.h"

static bool is_kept;

static __attribute__((noinline, noclone)) void keep(pthread_mutex_t *door)
{
	pthread_mutex_lock(door);
	__atomic_store_n(&is_kept, true, __ATOMIC_RELEASE);
}

static void *keep_quietly(void *door)
{
	prctl(PR_SET_NAME, "keeper");
	keep(door);
	for (;;)
		pause();
	return NULL;
}

static __attribute__((noinline, noclone)) void compute(void)
{
	for (;;)
		spin(NS_PER_S);
}

static void *keep_and_compute(void *door)
{
	prctl(PR_SET_NAME, "keeper");
	for (int i = 0; i < 5; i++)
		poll(NULL, 0, 1);
	keep(door);
	compute();
	return NULL;
}

static void *keep_and_lock(void *door)
{
	prctl(PR_SET_NAME, "keeper");
	for (int i = 0; i < 5; i++)
		poll(NULL, 0, 1);
	keep(door);
	pthread_mutex_lock(door);
	return NULL;
}

static void *visit(void *door)
{
	prctl(PR_SET_NAME, "visitor");
	while (!__atomic_load_n(&is_kept, __ATOMIC_ACQUIRE))
		sched_yield();
	pthread_mutex_lock(door);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
	pthread_t keeper, visitor;

	if (argc < 2)
		return 2;
	if (argv[1][0] == 'w')
		pthread_mutex_lock(&door);
	pthread_create(&keeper, NULL,
		       argv[1][0] == 's'   ? keep_and_compute
		       : argv[1][0] == 'i' ? keep_and_lock
					   : keep_quietly,
		       &door);
	if (argv[1][0] == 'w') {
		await_waiter(&door);
		pthread_mutex_unlock(&door);
	}
	pthread_create(&visitor, NULL, visit, &door);
	while (!__atomic_load_n(&is_kept, __ATOMIC_ACQUIRE))
		sched_yield();
	await_waiter(&door);
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
