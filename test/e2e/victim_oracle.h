/*
 * Programs that keep their own books: threads do random things with a few
 * locks, each writes down when, and at the end the log tells who made others
 * wait for how long. Here are the threads, the log and the books; who includes
 * it says what there is to do, and audits the log.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef E2E_VICTIM_ORACLE_H
#define E2E_VICTIM_ORACLE_H

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "victim.h"

#define THREADS	   8
#define LOCKS	   2
#define MAX_EVENTS 8192 /* of one thread */
#define NS_PER_US  UINT64_C(1000)

enum what {
	ASK,	    /* begins to wait */
	GOT,	    /* waited, and holds it */
	TOOK,	    /* holds it, and did not wait */
	LEFT,	    /* waited, and does not */
	GAVE,	    /* is about to let others in */
	WOKE,	    /* is about to wake `count` sleepers, who want it back */
	ASK_SHARED, /* these three: where others may hold it too */
	GOT_SHARED,
	GAVE_SHARED,
	GONE /* has let go of it */
};

struct event {
	uint64_t at_ns;
	enum what what;
	int lock, thread, count;
};

static struct actor {
	pthread_t thread;
	int index;
	uint64_t random;
	struct event log[MAX_EVENTS];
	int events;
} actors[THREADS];

static atomic_bool over;
static atomic_int busy;

static uint64_t draw(struct actor *self, uint64_t from, uint64_t to)
{
	self->random ^= self->random << 13;
	self->random ^= self->random >> 7;
	self->random ^= self->random << 17;
	return from + self->random % (to - from);
}

static void note(struct actor *self, enum what what, int lock, int count)
{
	if (self->events == MAX_EVENTS)
		abort();
	self->log[self->events++] = (struct event){
		.at_ns = now_ns(),
		.what = what,
		.lock = lock,
		.thread = self->index,
		.count = count,
	};
}

static void pass(struct actor *self, uint64_t least_us, uint64_t most_us)
{
	const struct timespec time = {
		.tv_nsec = (long)(draw(self, least_us, most_us) * NS_PER_US)
	};

	nanosleep(&time, NULL);
}

/* A time to give up at, by one of two clocks. */
struct deadline {
	clockid_t clock;
	struct timespec until;
};

static struct deadline draw_deadline(struct actor *self)
{
	struct deadline d = { .clock = draw(self, 0, 2) ? CLOCK_MONOTONIC
							: CLOCK_REALTIME };

	clock_gettime(d.clock, &d.until);
	d.until.tv_nsec += (long)(draw(self, 100, 4000) * NS_PER_US);
	d.until.tv_sec += d.until.tv_nsec / (long)NS_PER_S;
	d.until.tv_nsec %= (long)NS_PER_S;
	return d;
}

/* What there is to do with a lock: one of eight, from the includer. */
static void (*const acts[8])(struct actor *, int);

static void act(struct actor *self)
{
	while (!atomic_load(&over)) {
		acts[draw(self, 0, 8)](self, (int)draw(self, 0, LOCKS));
		pass(self, 50, 4000);
	}
	atomic_fetch_sub(&busy, 1);
}

/* One function a thread, so that the profile tells them apart. */
#define THREAD(which)                                                          \
	static __attribute__((noinline, noclone)) void *thread_##which(        \
		void *self)                                                    \
	{                                                                      \
		act(self);                                                     \
		__asm__ volatile("");                                          \
		return NULL;                                                   \
	}
THREAD(A)
THREAD(B)
THREAD(C)
THREAD(D)
THREAD(E)
THREAD(F)
THREAD(G)
THREAD(H)

/* The books. */
static struct event events[(THREADS + 1) * MAX_EVENTS];
static size_t event_count;
static uint64_t cost_ns[THREADS + 1], handoff_ns;
static uint64_t doubt_ns[THREADS + 1]; /* of cost: or it was another's */
static int holds[THREADS + 1];

static void collect(const struct actor *actor)
{
	memcpy(&events[event_count], actor->log,
	       (size_t)actor->events * sizeof(*events));
	event_count += (size_t)actor->events;
}

static int by_time(const void *a, const void *b)
{
	const struct event *left = a, *right = b;

	return (left->at_ns > right->at_ns) - (left->at_ns < right->at_ns);
}

static void print_books(void)
{
	uint64_t waited_ns = handoff_ns;

	for (int i = 0; i <= THREADS; i++)
		waited_ns += cost_ns[i];
	for (int i = 0; i < THREADS; i++)
		printf("thread_%c %llu %d %llu\n", 'A' + i,
		       (unsigned long long)cost_ns[i], holds[i],
		       (unsigned long long)doubt_ns[i]);
	printf("waited %llu\n", (unsigned long long)waited_ns);
	printf("handoff %llu\n", (unsigned long long)handoff_ns);
}

static void start(uint64_t seed)
{
	static void *(*const starts[THREADS])(void *) = {
		thread_A, thread_B, thread_C, thread_D,
		thread_E, thread_F, thread_G, thread_H,
	};

	busy = THREADS;
	for (int i = 0; i < THREADS; i++) {
		actors[i].index = i;
		actors[i].random = (seed * THREADS + (uint64_t)i + 1) *
				   UINT64_C(0x9e3779b97f4a7c15);
		pthread_create(&actors[i].thread, NULL, starts[i], &actors[i]);
	}
}

/*
 * SEED [MILLISECONDS]. relieve: by the main thread, until all have ended, or
 * NULL. The log is in `events` then.
 */
static void run(int argc, char **argv, void (*relieve)(struct actor *))
{
	static struct actor self = { .index = THREADS, .random = 1 };
	uint64_t milliseconds = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;
	uint64_t until_ns = now_ns() + NS_PER_MS * milliseconds;

	start(argc > 1 ? strtoull(argv[1], NULL, 10) : 1);
	while (now_ns() < until_ns)
		pass(&self, 1000, 1001);
	atomic_store(&over, true);
	while (relieve && atomic_load(&busy)) {
		relieve(&self);
		pass(&self, 1000, 1001);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(actors[i].thread, NULL);
	for (int i = 0; i < THREADS; i++)
		collect(&actors[i]);
	collect(&self);
	qsort(events, event_count, sizeof(*events), by_time);
}

#endif
