/*
 * A program that keeps its own books: threads do random things with a few
 * locks, each writes down when, and at the end the log tells who made others
 * wait for how long.
 *
 * usage: victim_oracle SEED [MILLISECONDS]
 * prints "THREAD NANOSECONDS HOLDS", what each thread's holds cost the others,
 * then "waited NANOSECONDS" and "handoff NANOSECONDS", the part of it during
 * which nobody held the lock
 *
 * SPDX-License-Identifier: MIT
 */
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
	ASK,  /* begins to wait */
	GOT,  /* waited, and holds it */
	LEFT, /* waited, and does not */
	GAVE, /* is about to let others in */
	WOKE  /* is about to wake `count` sleepers, who want the lock back */
};

struct event {
	uint64_t at_ns;
	enum what what;
	int lock, thread, count;
};

static struct lock {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	int sleepers; /* not woken yet; under the mutex */
} locks[LOCKS];

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

static void take(struct actor *self, int lock)
{
	note(self, ASK, lock, 1);
	pthread_mutex_lock(&locks[lock].mutex);
	note(self, GOT, lock, 1);
}

static void give(struct actor *self, int lock)
{
	note(self, GAVE, lock, 1);
	pthread_mutex_unlock(&locks[lock].mutex);
}

static void hold(struct actor *self, int lock)
{
	take(self, lock);
	pass(self, 100, 5000);
	give(self, lock);
}

static void hold_twice(struct actor *self, int lock)
{
	hold(self, lock);
	hold(self, lock);
}

static void hold_if_in_time(struct actor *self, int lock)
{
	clockid_t clock = draw(self, 0, 2) ? CLOCK_MONOTONIC : CLOCK_REALTIME;
	pthread_mutex_t *mutex = &locks[lock].mutex;
	struct timespec until;
	int err;

	clock_gettime(clock, &until);
	until.tv_nsec += (long)(draw(self, 100, 4000) * NS_PER_US);
	until.tv_sec += until.tv_nsec / (long)NS_PER_S;
	until.tv_nsec %= (long)NS_PER_S;
	note(self, ASK, lock, 1);
	err = clock == CLOCK_REALTIME
		      ? pthread_mutex_timedlock(mutex, &until)
		      : pthread_mutex_clocklock(mutex, clock, &until);
	note(self, err ? LEFT : GOT, lock, 1);
	if (err == ETIMEDOUT)
		return;
	pass(self, 100, 5000);
	give(self, lock);
}

static void sleep_within(struct actor *self, int lock)
{
	take(self, lock);
	pass(self, 100, 2000);
	locks[lock].sleepers++;
	note(self, GAVE, lock, 1);
	pthread_cond_wait(&locks[lock].cond, &locks[lock].mutex);
	note(self, GOT, lock, 1);
	pass(self, 100, 2000);
	give(self, lock);
}

/* Under the mutex. */
static void wake(struct actor *self, int lock, bool all)
{
	struct lock *l = &locks[lock];
	int woken = all ? l->sleepers : l->sleepers > 0;

	l->sleepers -= woken;
	note(self, WOKE, lock, woken);
	if (all)
		pthread_cond_broadcast(&l->cond);
	else
		pthread_cond_signal(&l->cond);
}

static void wake_within(struct actor *self, int lock)
{
	take(self, lock);
	pass(self, 100, 2000);
	wake(self, lock, draw(self, 0, 2));
	pass(self, 100, 2000);
	give(self, lock);
}

static void act(struct actor *self)
{
	static void (*const acts[])(struct actor *, int) = {
		hold,	      hold,	   hold_twice,	hold_if_in_time,
		sleep_within, wake_within, wake_within, wake_within,
	};

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

/* Nobody is left asleep. The last one to act is main, who is not booked. */
static void end_all(struct actor *self)
{
	atomic_store(&over, true);
	while (atomic_load(&busy)) {
		for (int i = 0; i < LOCKS; i++) {
			take(self, i);
			wake(self, i, true);
			give(self, i);
		}
		pass(self, 1000, 1001);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(actors[i].thread, NULL);
}

/* The books. */
static struct event all[(THREADS + 1) * MAX_EVENTS];
static size_t events;
static uint64_t cost_ns[THREADS + 1], handoff_ns;
static int holds[THREADS + 1];

static void collect(const struct actor *actor)
{
	memcpy(&all[events], actor->log, (size_t)actor->events * sizeof(*all));
	events += (size_t)actor->events;
}

static int by_time(const void *a, const void *b)
{
	const struct event *left = a, *right = b;

	return (left->at_ns > right->at_ns) - (left->at_ns < right->at_ns);
}

/* What happens to one lock: who holds it, how many wait, since when. */
static void audit(int lock)
{
	int holder = -1, waiting = 0;
	uint64_t since_ns = 0;

	for (size_t i = 0; i < events; i++) {
		const struct event *e = &all[i];
		uint64_t passed_ns = (e->at_ns - since_ns) * (uint64_t)waiting;

		if (e->lock != lock)
			continue;
		if (holder < 0)
			handoff_ns += passed_ns;
		else
			cost_ns[holder] += passed_ns;
		since_ns = e->at_ns;
		waiting += e->what == ASK ? 1 : e->what == WOKE ? e->count : 0;
		waiting -= e->what == GOT || e->what == LEFT;
		if (e->what == GOT) {
			holder = e->thread;
			holds[holder]++;
		} else if (e->what == GAVE) {
			holder = -1;
		}
	}
	if (waiting)
		abort();
}

static void print_books(void)
{
	uint64_t waited_ns = handoff_ns;

	for (int i = 0; i <= THREADS; i++)
		waited_ns += cost_ns[i];
	for (int i = 0; i < THREADS; i++)
		printf("thread_%c %llu %d\n", 'A' + i,
		       (unsigned long long)cost_ns[i], holds[i]);
	printf("waited %llu\n", (unsigned long long)waited_ns);
	printf("handoff %llu\n", (unsigned long long)handoff_ns);
}

int main(int argc, char **argv)
{
	static void *(*const starts[THREADS])(void *) = {
		thread_A, thread_B, thread_C, thread_D,
		thread_E, thread_F, thread_G, thread_H,
	};
	static struct actor self = { .index = THREADS, .random = 1 };
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	uint64_t until_ns =
		now_ns() +
		NS_PER_MS * (argc > 2 ? strtoull(argv[2], NULL, 10) : 1000);

	for (int i = 0; i < LOCKS; i++) {
		pthread_mutex_init(&locks[i].mutex, NULL);
		pthread_cond_init(&locks[i].cond, NULL);
	}
	busy = THREADS;
	for (int i = 0; i < THREADS; i++) {
		actors[i].index = i;
		actors[i].random = (seed * THREADS + (uint64_t)i + 1) *
				   UINT64_C(0x9e3779b97f4a7c15);
		pthread_create(&actors[i].thread, NULL, starts[i], &actors[i]);
	}
	while (now_ns() < until_ns)
		pass(&self, 1000, 1001);
	end_all(&self);
	for (int i = 0; i < THREADS; i++)
		collect(&actors[i]);
	collect(&self);
	qsort(all, events, sizeof(*all), by_time);
	for (int i = 0; i < LOCKS; i++)
		audit(i);
	print_books();
	return 0;
}
