/*
 * A storm: pairs of threads hand locks over, each hold found by exactly one
 * waiter, while others do everything at once with other locks. There are more
 * locks than the shim has records for.
 *
 * usage: victim_storm SECONDS
 * prints "handed N": how often a lock was held until another thread waited
 *
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>

#include "victim.h"

#define PAIRS	   2
#define PAIR_LOCKS 4000
#define NOISY	   4
#define NOISE	   4000 /* locks */

static atomic_bool over;

/* Two threads that go through locks of their own, again and again. */
static struct pair {
	pthread_t holder, waiter;
	pthread_mutex_t lock[PAIR_LOCKS];
	_Atomic uint64_t held;	 /* holds begun; the last: OVER */
	_Atomic uint64_t waited; /* of these, waited for */
} pairs[PAIRS];

#define OVER UINT64_MAX

static __attribute__((noinline, noclone)) void hand_over(pthread_mutex_t *lock)
{
	pthread_mutex_unlock(lock);
	__asm__ volatile("");
}

static __attribute__((noinline, noclone)) void be_handed(pthread_mutex_t *lock)
{
	pthread_mutex_lock(lock);
	__asm__ volatile("");
}

static void *hold_locks(void *arg)
{
	struct pair *pair = arg;

	for (uint64_t i = 0; !atomic_load(&over); i++) {
		pthread_mutex_t *lock = &pair->lock[i % PAIR_LOCKS];

		pthread_mutex_lock(lock);
		atomic_store(&pair->held, i + 1);
		await_waiter(lock);
		hand_over(lock);
		while (atomic_load(&pair->waited) <= i)
			sched_yield();
	}
	atomic_store(&pair->held, OVER);
	return NULL;
}

static void *wait_for_locks(void *arg)
{
	struct pair *pair = arg;
	uint64_t i;

	for (i = 0;; i++) {
		pthread_mutex_t *lock = &pair->lock[i % PAIR_LOCKS];
		uint64_t held;

		while ((held = atomic_load(&pair->held)) <= i)
			sched_yield();
		if (held == OVER)
			return NULL;
		be_handed(lock);
		pthread_mutex_unlock(lock);
		atomic_store(&pair->waited, i + 1);
	}
}

/* What others share. */
static struct shared {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	uint64_t holds; /* under the lock */
} noise[NOISE];

struct noisy {
	pthread_t thread;
	uint64_t random;
	uint64_t holds;
};

static uint64_t draw(struct noisy *self, uint64_t below)
{
	self->random ^= self->random << 13;
	self->random ^= self->random >> 7;
	self->random ^= self->random << 17;
	return self->random % below;
}

static struct timespec soon(struct noisy *self)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += (long)draw(self, 200000);
	until.tv_sec += until.tv_nsec / (long)NS_PER_S;
	until.tv_nsec %= (long)NS_PER_S;
	return until;
}

/* Few locks are wanted often, many now and then. */
static struct shared *choose(struct noisy *self)
{
	return &noise[draw(self, 2) ? draw(self, 3) : draw(self, NOISE)];
}

static bool take(struct noisy *self, struct shared *shared)
{
	struct timespec until = soon(self);

	switch (draw(self, 4)) {
	case 0:
		return !pthread_mutex_trylock(&shared->lock);
	case 1:
		return !pthread_mutex_timedlock(&shared->lock, &until);
	default:
		return !pthread_mutex_lock(&shared->lock);
	}
}

static void use(struct noisy *self, struct shared *shared)
{
	struct timespec until = soon(self);

	self->holds++;
	shared->holds++;
	switch (draw(self, 16)) {
	case 0:
		pthread_cond_timedwait(&shared->cond, &shared->lock, &until);
		break;
	case 1:
		pthread_cond_signal(&shared->cond);
		break;
	case 2:
		pthread_cond_broadcast(&shared->cond);
		break;
	case 3:
		sched_yield();
		break;
	default:
		break;
	}
}

static void *make_noise(void *arg)
{
	struct noisy *self = arg;

	while (!atomic_load(&over)) {
		struct shared *shared = choose(self);
		pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

		if (take(self, shared)) {
			use(self, shared);
			pthread_mutex_unlock(&shared->lock);
		}
		pthread_mutex_lock(&own);
		pthread_mutex_unlock(&own);
		pthread_mutex_destroy(&own);
	}
	return NULL;
}

static uint64_t handed(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < PAIRS; i++)
		sum += atomic_load(&pairs[i].waited);
	return sum;
}

/* Did each lock keep the others out? */
static bool excluded(const struct noisy *noisy)
{
	uint64_t sum = 0;

	for (int i = 0; i < NOISE; i++)
		sum += noise[i].holds;
	for (int i = 0; i < NOISY; i++)
		sum -= noisy[i].holds;
	return !sum;
}

int main(int argc, char **argv)
{
	const struct timespec time = { .tv_sec = argc > 1 ? atoi(argv[1]) : 1 };
	static struct noisy noisy[NOISY];

	for (int i = 0; i < PAIRS; i++) {
		pthread_create(&pairs[i].holder, NULL, hold_locks, &pairs[i]);
		pthread_create(&pairs[i].waiter, NULL, wait_for_locks,
			       &pairs[i]);
	}
	for (int i = 0; i < NOISY; i++) {
		noisy[i].random = (uint64_t)i + 1;
		pthread_create(&noisy[i].thread, NULL, make_noise, &noisy[i]);
	}
	nanosleep(&time, NULL);
	atomic_store(&over, true);
	for (int i = 0; i < PAIRS; i++) {
		pthread_join(pairs[i].holder, NULL);
		pthread_join(pairs[i].waiter, NULL);
	}
	for (int i = 0; i < NOISY; i++)
		pthread_join(noisy[i].thread, NULL);
	printf("handed %llu\n", (unsigned long long)handed());
	return excluded(noisy) ? 0 : 1;
}
