/*
 * Threads that wait for a lock, and books of what they have waited: at least
 * since they were seen to wait, at most since they asked. These bounds hold on
 * the busiest machine.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef E2E_VICTIM_LOCK_H
#define E2E_VICTIM_LOCK_H

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "victim.h"

#define HOLD_NS	    (20 * NS_PER_MS)
#define MAX_THREADS 16

/* Written by their own threads, but for what is said. */
static struct waiter {
	pthread_t thread;
	atomic_int tid;
	void (*take)(void);
	void (*release)(void);
	_Atomic uint64_t asked_ns, got_ns;
	uint64_t seen_ns; /* to wait; written by who started it */
} waiters[MAX_THREADS];
static unsigned threads;

/* One a kind of holder, so that the profile tells them apart. */
#define RELEASE(name, call)                                                    \
	static __attribute__((noinline, noclone)) void release_##name(void)    \
	{                                                                      \
		call;                                                          \
		__asm__ volatile("");                                          \
	}

static inline void *take_and_release(void *arg)
{
	struct waiter *self = arg;

	atomic_store(&self->asked_ns, now_ns());
	atomic_store(&self->tid, gettid());
	self->take();
	atomic_store(&self->got_ns, now_ns());
	if (self->release)
		self->release();
	return NULL;
}

static inline struct waiter *start(void (*take)(void), void (*release)(void))
{
	struct waiter *waiter = &waiters[threads++];

	atomic_store(&waiter->tid, 0);
	atomic_store(&waiter->got_ns, 0);
	waiter->take = take;
	waiter->release = release;
	pthread_create(&waiter->thread, NULL, take_and_release, waiter);
	while (!atomic_load(&waiter->tid))
		;
	return waiter;
}

/* Starts a thread that finds the lock taken; returns when it waits. */
static inline struct waiter *start_waiter(void (*take)(void),
					  void (*release)(void))
{
	struct waiter *waiter = start(take, release);

	while (!sleeps(atomic_load(&waiter->tid)))
		;
	waiter->seen_ns = now_ns();
	return waiter;
}

static inline void join_all(void)
{
	for (unsigned i = 0; i < threads; i++)
		pthread_join(waiters[i].thread, NULL);
}

struct cost {
	const char *function;
	uint64_t since_ns;
	uint64_t least_ns, most_ns;
};

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Just before the release. */
static inline void count_least(struct cost *cost)
{
	uint64_t now = now_ns();

	for (unsigned i = 0; i < threads; i++)
		if (!atomic_load(&waiters[i].got_ns))
			cost->least_ns +=
				now - later(waiters[i].seen_ns, cost->since_ns);
}

/* When all who waited have ended. */
static inline void count_most(struct cost *cost)
{
	for (unsigned i = 0; i < threads; i++) {
		uint64_t asked_ns = atomic_load(&waiters[i].asked_ns);
		uint64_t from_ns = later(asked_ns, cost->since_ns);
		uint64_t got_ns = atomic_load(&waiters[i].got_ns);

		cost->most_ns += got_ns > from_ns ? got_ns - from_ns : 0;
	}
}

static inline void book(const struct cost *cost)
{
	printf("%s %llu %llu\n", cost->function,
	       (unsigned long long)cost->least_ns,
	       (unsigned long long)cost->most_ns);
}

/* All that have been started wait for the lock that release lets go of. */
static inline void hold_and(void (*release)(void), const char *function)
{
	struct cost cost = { .function = function };

	spin(HOLD_NS);
	count_least(&cost);
	release();
	join_all();
	count_most(&cost);
	book(&cost);
}

struct lock_case {
	const char *name;
	void (*run)(void);
};

/* For main(): runs the one that was asked for. Returns the exit status. */
static inline int run_case(const struct lock_case *cases, size_t count,
			   const char *name)
{
	for (size_t i = 0; name && i < count; i++)
		if (!strcmp(name, cases[i].name)) {
			cases[i].run();
			return 0;
		}
	return 2;
}

#endif
