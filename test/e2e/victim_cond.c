/*
 * Condition variables.
 *
 * usage: victim_cond WHAT
 *   herd    50 sleepers are broadcast to under the lock, which is then held for
 *           20 ms; prints "unlock_after_broadcast NANOSECONDS": what that hold
 *           cost the woken
 *   idle    a sleeper sleeps for 200 ms: no contention
 *   single  ten sleepers, signalled one by one by a thread that holds the lock
 *           for 5 ms after each signal; prints "unlock_after_signal
 * NANOSECONDS" cancel  sleepers are cancelled in their sleep, some after a
 * signal; the lock is used afterwards storm   many threads signal, broadcast,
 * wait and time out c11     the herd with cnd_t and mtx_t
 *
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>

#include "victim.h"

#define SLEEPERS 50
#define HOLD_NS	 (20 * NS_PER_MS)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static mtx_t mtx;
static cnd_t cnd;
static int asleep, tokens; /* guarded by lock (or mtx) */
static atomic_bool over;

static void unlock_after_broadcast(void)
{
	pthread_mutex_unlock(&lock);
}

static void unlock_after_signal(void)
{
	pthread_mutex_unlock(&lock);
}

static void unlock_awake(void)
{
	pthread_mutex_unlock(&lock);
}

static void *sleep_for_token(void *arg)
{
	pthread_mutex_lock(&lock);
	asleep++;
	while (!tokens)
		pthread_cond_wait(&cond, &lock);
	tokens--;
	unlock_awake();
	return arg;
}

/* Locks when n sleep: each has let go of the lock in its wait. */
static void lock_when_asleep(int n)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		if (asleep == n)
			return;
		pthread_mutex_unlock(&lock);
		usleep(1000);
	}
}

static void start(pthread_t *threads, int n, void *(*body)(void *))
{
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, body, NULL);
}

static void join(pthread_t *threads, int n)
{
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

static void tell(const char *who, uint64_t ns)
{
	printf("%s %llu\n", who, (unsigned long long)ns);
}

static void herd(void)
{
	pthread_t threads[SLEEPERS];
	uint64_t begun_ns;

	start(threads, SLEEPERS, sleep_for_token);
	lock_when_asleep(SLEEPERS);
	tokens = SLEEPERS;
	begun_ns = now_ns();
	pthread_cond_broadcast(&cond);
	spin(HOLD_NS);
	tell("unlock_after_broadcast", SLEEPERS * (now_ns() - begun_ns));
	unlock_after_broadcast();
	join(threads, SLEEPERS);
}

static void idle(void)
{
	pthread_t thread;

	start(&thread, 1, sleep_for_token);
	lock_when_asleep(1);
	pthread_mutex_unlock(&lock);
	usleep(200000);
	pthread_mutex_lock(&lock);
	tokens = 1;
	pthread_mutex_unlock(&lock);
	pthread_cond_signal(&cond);
	join(&thread, 1);
}

static void single(void)
{
	pthread_t threads[10];
	uint64_t cost_ns = 0;

	start(threads, 10, sleep_for_token);
	lock_when_asleep(10);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 10; i++) {
		uint64_t begun_ns;

		/* The one before has gone. */
		for (;;) {
			pthread_mutex_lock(&lock);
			if (!tokens)
				break;
			pthread_mutex_unlock(&lock);
			usleep(100);
		}
		tokens = 1;
		begun_ns = now_ns();
		pthread_cond_signal(&cond);
		spin(5 * NS_PER_MS);
		cost_ns += now_ns() - begun_ns;
		unlock_after_signal();
	}
	join(threads, 10);
	tell("unlock_after_signal", cost_ns);
}

static void give_back(void *arg)
{
	(void)arg;
	pthread_mutex_unlock(&lock);
}

static void *sleep_to_be_cancelled(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(give_back, NULL);
	asleep++;
	for (;;)
		pthread_cond_wait(&cond, &lock);
	pthread_cleanup_pop(1);
	return arg;
}

static void cancel(void)
{
	pthread_t threads[10];

	start(threads, 10, sleep_to_be_cancelled);
	lock_when_asleep(10);
	for (int i = 0; i < 10; i++) {
		if (i % 2)
			pthread_cond_signal(&cond);
		pthread_cancel(threads[i]);
	}
	spin(5 * NS_PER_MS);
	pthread_mutex_unlock(&lock);
	join(threads, 10);
	asleep = 0;
	herd();
}

static void exit_soon_after_signal(void)
{
	pthread_t thread;

	start(&thread, 1, sleep_for_token);
	lock_when_asleep(1);
	tokens = 1;
	pthread_cond_signal(&cond);
	spin(2 * NS_PER_MS);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&lock);
		spin(10000);
		pthread_mutex_unlock(&lock);
	}
	pthread_mutex_lock(&lock);
	exit(0);
}

static void *live_wildly(void *arg)
{
	unsigned seed = (unsigned)gettid();

	while (!atomic_load(&over)) {
		struct timespec until;

		pthread_mutex_lock(&lock);
		switch (rand_r(&seed) % 4) {
		case 0:
			pthread_cond_signal(&cond);
			break;
		case 1:
			pthread_cond_broadcast(&cond);
			break;
		default:
			clock_gettime(CLOCK_REALTIME, &until);
			until.tv_nsec += rand_r(&seed) % 1000000;
			if (until.tv_nsec >= 1000000000) {
				until.tv_sec++;
				until.tv_nsec -= 1000000000;
			}
			pthread_cond_timedwait(&cond, &lock, &until);
		}
		pthread_mutex_unlock(&lock);
		if (rand_r(&seed) % 8 == 0)
			pthread_cond_signal(&cond);
	}
	return arg;
}

static void storm(void)
{
	pthread_t threads[16];

	start(threads, 16, live_wildly);
	usleep(1000000);
	atomic_store(&over, true);
	join(threads, 16);
}

static int sleep_c11(void *arg)
{
	(void)arg;
	mtx_lock(&mtx);
	asleep++;
	while (!tokens)
		cnd_wait(&cnd, &mtx);
	tokens--;
	mtx_unlock(&mtx);
	return 0;
}

static void unlock_c11(void)
{
	mtx_unlock(&mtx);
}

static void herd_c11(void)
{
	thrd_t threads[SLEEPERS];
	uint64_t begun_ns;

	mtx_init(&mtx, mtx_plain);
	cnd_init(&cnd);
	for (int i = 0; i < SLEEPERS; i++)
		thrd_create(&threads[i], sleep_c11, NULL);
	for (;;) {
		mtx_lock(&mtx);
		if (asleep == SLEEPERS)
			break;
		mtx_unlock(&mtx);
		usleep(1000);
	}
	tokens = SLEEPERS;
	begun_ns = now_ns();
	cnd_broadcast(&cnd);
	spin(HOLD_NS);
	tell("unlock_c11", SLEEPERS * (now_ns() - begun_ns));
	unlock_c11();
	for (int i = 0; i < SLEEPERS; i++)
		thrd_join(threads[i], NULL);
}

static const struct {
	const char *name;
	void (*run)(void);
} things[] = {
	{ "herd", herd },     { "idle", idle },
	{ "single", single }, { "exit", exit_soon_after_signal },
	{ "cancel", cancel }, { "storm", storm },
	{ "c11", herd_c11 },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(things) / sizeof(things[0]); i++)
		if (argc > 1 && !strcmp(argv[1], things[i].name))
			things[i].run();
	return 0;
}
