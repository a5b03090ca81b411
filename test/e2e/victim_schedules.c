/*
 * Known schedules of one lock, with the victim's own books beside: each holder
 * unlocks in a function of its own, and the victim prints for each what its
 * hold cost the others.
 *
 * usage: victim_schedules SCHEDULE
 *   drop     T0 holds, five wait, each takes the lock and drops it at once
 *   five     A, B, C, D, E hold 1, 5, 2, 3, 4 units, all waiting from the start
 *   two      two wait behind one hold
 *   hundred  a hundred wait behind one hold
 * prints a line per holder: "FUNCTION NANOSECONDS"
 *
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "victim.h"

#define UNIT_NS	    20000000ull
#define MAX_WAITERS 100

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Books, each written by its own thread, read when all have ended. */
static struct book {
	pthread_t thread;
	atomic_int tid;
	uint64_t hold_ns;
	uint64_t asked_ns, got_ns, gave_ns;
	void (*unlock)(void);
} books[MAX_WAITERS + 1];

/* One function a holder, so that the profile tells them apart. */
#define UNLOCK_BY(who)                                                         \
	static __attribute__((noinline, noclone)) void unlock_##who(void)      \
	{                                                                      \
		pthread_mutex_unlock(&lock);                                   \
		__asm__ volatile("");                                          \
	}
UNLOCK_BY(A)
UNLOCK_BY(B)
UNLOCK_BY(C)
UNLOCK_BY(D)
UNLOCK_BY(E)
UNLOCK_BY(others)

static void hold(struct book *book)
{
	book->got_ns = now_ns();
	while (now_ns() - book->got_ns < book->hold_ns)
		;
	book->gave_ns = now_ns();
	book->unlock();
}

static void *wait_and_hold(void *arg)
{
	struct book *book = arg;

	atomic_store(&book->tid, gettid());
	book->asked_ns = now_ns();
	pthread_mutex_lock(&lock);
	hold(book);
	return NULL;
}

/* Starts waiters one after the other: the kernel wakes them in that order. */
static void start_waiters(unsigned waiters)
{
	for (unsigned i = 1; i <= waiters; i++) {
		struct book *book = &books[i];

		pthread_create(&book->thread, NULL, wait_and_hold, book);
		while (!atomic_load(&book->tid) ||
		       !sleeps(atomic_load(&book->tid)))
			;
	}
}

/* What the hold of `holder` cost those who waited for it meanwhile. */
static uint64_t cost(const struct book *holder, unsigned waiters)
{
	uint64_t ns = 0;

	for (unsigned i = 1; i <= waiters; i++) {
		uint64_t from = books[i].asked_ns > holder->got_ns
					? books[i].asked_ns
					: holder->got_ns;
		uint64_t to = books[i].got_ns < holder->gave_ns
				      ? books[i].got_ns
				      : holder->gave_ns;

		if (&books[i] != holder && to > from)
			ns += to - from;
	}
	return ns;
}

static void run(unsigned waiters)
{
	/* Main is the first holder: it holds from when all are waiting. */
	books[0].asked_ns = now_ns();
	pthread_mutex_lock(&lock);
	books[0].got_ns = now_ns();
	start_waiters(waiters);
	while (now_ns() - books[waiters].asked_ns < books[0].hold_ns)
		;
	books[0].gave_ns = now_ns();
	books[0].unlock();
	for (unsigned i = 1; i <= waiters; i++)
		pthread_join(books[i].thread, NULL);
}

static void plan(unsigned who, void (*unlock)(void), unsigned units)
{
	books[who].unlock = unlock;
	books[who].hold_ns = units * UNIT_NS;
}

static unsigned plan_schedule(const char *name)
{
	static void (*const unlocks[])(void) = { unlock_A, unlock_B, unlock_C,
						 unlock_D, unlock_E };
	static const unsigned units[] = { 1, 5, 2, 3, 4 };
	unsigned waiters = 5;

	if (!strcmp(name, "five")) {
		for (unsigned i = 0; i < 5; i++)
			plan(i, unlocks[i], units[i]);
		return 4;
	}
	if (!strcmp(name, "two"))
		waiters = 2;
	if (!strcmp(name, "hundred"))
		waiters = 100;
	plan(0, unlock_A, 1);
	for (unsigned i = 1; i <= waiters; i++)
		plan(i, unlock_others, 0);
	return waiters;
}

int main(int argc, char **argv)
{
	unsigned waiters = plan_schedule(argc > 1 ? argv[1] : "drop");
	uint64_t others = 0;

	run(waiters);
	for (unsigned i = 0; i <= waiters; i++) {
		if (books[i].unlock == unlock_others)
			others += cost(&books[i], waiters);
		else
			printf("unlock_%c %llu\n", 'A' + (int)i,
			       (unsigned long long)cost(&books[i], waiters));
	}
	printf("unlock_others %llu\n", (unsigned long long)others);
	return 0;
}
