/*
 * What mutexes of every type answer where something is wrong, or out of the
 * ordinary (victim_answers.h).
 *
 * usage: victim_mutex_answers CASE (see cases[])
 *
 * SPDX-License-Identifier: MIT
 */
#include <sched.h>

#include "victim_answers.h"

static pthread_mutex_t m;

static void init_mutex(int type, int robust, int protocol)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, type);
	pthread_mutexattr_setrobust(&attr, robust);
	pthread_mutexattr_setprotocol(&attr, protocol);
	SHOW(pthread_mutex_init(&m, &attr));
}

static void try_every_way(void)
{
	SHOW(pthread_mutex_trylock(&m));
	SHOW(pthread_mutex_timedlock(&m, &past));
	SHOW(pthread_mutex_timedlock(&m, &odd));
	SHOW(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &past));
	SHOW(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &negative));
	SHOW(pthread_mutex_clocklock(&m, CLOCK_PROCESS_CPUTIME_ID, &past));
	SHOW(pthread_mutex_unlock(&m));
}

static void unlock_mutex(void)
{
	SHOW(pthread_mutex_unlock(&m));
}

/* A free one, one that another thread holds, one's own, one too often freed. */
static void use_mutex(int type, int robust, int protocol)
{
	init_mutex(type, robust, protocol);
	SHOW(pthread_mutex_timedlock(&m, &odd));
	unlock_mutex();
	SHOW(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &past));
	unlock_mutex();
	SHOW(pthread_mutex_clocklock(&m, CLOCK_PROCESS_CPUTIME_ID, &past));
	if (type != PTHREAD_MUTEX_NORMAL)
		unlock_mutex();
	SHOW(pthread_mutex_lock(&m));
	if (type != PTHREAD_MUTEX_NORMAL) {
		SHOW(pthread_mutex_lock(&m));
		try_every_way();
		elsewhere(try_every_way);
	}
	SHOW(pthread_mutex_destroy(&m));
	unlock_mutex();
	SHOW(pthread_mutex_destroy(&m));
}

static void mutexes(void)
{
	static const int types[] = { PTHREAD_MUTEX_NORMAL,
				     PTHREAD_MUTEX_ERRORCHECK,
				     PTHREAD_MUTEX_RECURSIVE };
	static const int protocols[] = { PTHREAD_PRIO_NONE,
					 PTHREAD_PRIO_INHERIT };

	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 2; j++) {
			use_mutex(types[i], PTHREAD_MUTEX_STALLED,
				  protocols[j]);
			use_mutex(types[i], PTHREAD_MUTEX_ROBUST, protocols[j]);
		}
}

static void ceiling(void)
{
	struct sched_param low = { .sched_priority = 1 };
	struct sched_param high = { .sched_priority = 50 };
	pthread_mutexattr_t attr;
	int old;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_PROTECT);
	pthread_mutexattr_setprioceiling(&attr, 10);
	SHOW(pthread_mutex_init(&m, &attr));
	SHOW(pthread_setschedparam(pthread_self(), SCHED_FIFO, &low));
	SHOW(pthread_mutex_lock(&m));
	elsewhere(try_every_way);
	unlock_mutex();
	SHOW(pthread_setschedparam(pthread_self(), SCHED_FIFO, &high));
	SHOW(pthread_mutex_lock(&m));
	SHOW(pthread_mutex_trylock(&m));
	SHOW(pthread_mutex_setprioceiling(&m, 60, &old));
	SHOW(pthread_mutex_lock(&m));
	unlock_mutex();
	low.sched_priority = 0;
	SHOW(pthread_setschedparam(pthread_self(), SCHED_OTHER, &low));
}

static void die_with_it(void)
{
	SHOW(pthread_mutex_lock(&m));
}

static void lock(void)
{
	SHOW(pthread_mutex_lock(&m));
}

static void trylock(void)
{
	SHOW(pthread_mutex_trylock(&m));
}

static void timedlock(void)
{
	SHOW(pthread_mutex_timedlock(&m, &past));
}

static void clocklock(void)
{
	SHOW(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &past));
}

static void (*const ways[])(void) = { lock, trylock, timedlock, clocklock };

/* The owner is dead: locked at once, to be made consistent or given up. */
static void inherit(void (*way)(void), int type, int protocol, bool consistent)
{
	init_mutex(type, PTHREAD_MUTEX_ROBUST, protocol);
	elsewhere(die_with_it);
	way();
	if (type == PTHREAD_MUTEX_ERRORCHECK)
		lock();
	elsewhere(trylock);
	if (consistent)
		SHOW(pthread_mutex_consistent(&m));
	SHOW(pthread_mutex_consistent(&m));
	unlock_mutex();
	for (int i = 0; i < 4; i++)
		elsewhere(ways[i]);
	way();
	SHOW(pthread_mutex_destroy(&m));
}

static void dead_owners(void)
{
	for (int i = 0; i < 4; i++)
		for (int consistent = 0; consistent < 2; consistent++) {
			inherit(ways[i], PTHREAD_MUTEX_NORMAL,
				PTHREAD_PRIO_NONE, consistent);
			inherit(ways[i], PTHREAD_MUTEX_ERRORCHECK,
				PTHREAD_PRIO_NONE, consistent);
			inherit(ways[i], PTHREAD_MUTEX_NORMAL,
				PTHREAD_PRIO_INHERIT, consistent);
		}
}

static void inherit_in_wait(void)
{
	int err = pthread_mutex_lock(&m);

	printf("after waiting: %d\n", err);
	if (err == EOWNERDEAD)
		SHOW(pthread_mutex_consistent(&m));
	unlock_mutex();
}

static void die_when_waited_for(void)
{
	pthread_mutex_lock(&m);
	start_waiter(inherit_in_wait, NULL);
}

static void fail_in_wait(void)
{
	printf("after waiting: %d\n", pthread_mutex_lock(&m));
}

/* Who holds it dies; then who holds it gives it up for good. */
static void waiting_heirs(void)
{
	init_mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST,
		   PTHREAD_PRIO_NONE);
	elsewhere(die_when_waited_for);
	join_all();
	elsewhere(die_with_it);
	lock();
	threads = 0;
	start_waiter(fail_in_wait, NULL);
	pthread_mutex_unlock(&m);
	join_all();
}

static const struct lock_case cases[] = {
	{ "types", mutexes },
	{ "ceiling", ceiling },
	{ "dead_owners", dead_owners },
	{ "waiting_heirs", waiting_heirs },
};

int main(int argc, char **argv)
{
	return run_case(cases, sizeof(cases) / sizeof(*cases),
			argc > 1 ? argv[1] : NULL);
}
