/*
 * As many locks as the first argument says: a lock and unlock of each in turn,
 * over and over, that nobody else wants; or with "wanted" as second argument,
 * each once held by one thread until another one waits for it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#define MIN_WANTED 20000 /* waits to measure, of few locks */

static pthread_mutex_t *locks;
static uint64_t count, rounds;
static uint64_t turn; /* atomic: how many have been held */
static uint64_t done; /* atomic: how many have been waited for */

static uint64_t load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void *want_each(void *unused)
{
	for (uint64_t i = 0; i < rounds; i++) {
		while (load(&turn) <= i)
			sched_yield();
		pthread_mutex_lock(&locks[i % count]);
		pthread_mutex_unlock(&locks[i % count]);
		__atomic_store_n(&done, i + 1, __ATOMIC_RELEASE);
	}
	return unused;
}

/* libc writes 2 into a mutex when somebody is about to sleep on it. */
static bool is_wanted(const pthread_mutex_t *lock)
{
	return __atomic_load_n(&lock->__data.__lock, __ATOMIC_RELAXED) == 2;
}

static void hold_each(void)
{
	for (uint64_t i = 0; i < rounds; i++) {
		pthread_mutex_lock(&locks[i % count]);
		__atomic_store_n(&turn, i + 1, __ATOMIC_RELEASE);
		while (!is_wanted(&locks[i % count]))
			sched_yield();
		pthread_mutex_unlock(&locks[i % count]);
		while (load(&done) <= i)
			sched_yield();
	}
}

static void measure_wanted(pthread_t *thread)
{
	uint64_t begun_ns;

	rounds = count > MIN_WANTED ? count : MIN_WANTED;
	if (pthread_create(thread, NULL, want_each, NULL) != 0)
		bench_die("pthread_create");
	begun_ns = bench_now_ns();
	hold_each();
	bench_print(begun_ns, rounds);
	pthread_join(*thread, NULL);
}

static void *idle(void *unused)
{
	pause();
	return unused;
}

static void lock_each(void)
{
	for (uint64_t i = 0; i < count; i++) {
		pthread_mutex_lock(&locks[i]);
		pthread_mutex_unlock(&locks[i]);
	}
}

/* A second thread exists, as libc takes a short cut in a process with one. */
static void measure_unwanted(pthread_t *thread)
{
	uint64_t begun_ns, pairs = 0;

	if (pthread_create(thread, NULL, idle, NULL) != 0)
		bench_die("pthread_create");
	lock_each();
	begun_ns = bench_now_ns();
	do {
		for (uint64_t i = 0; i < 10000; i += count) {
			lock_each();
			pairs += count;
		}
	} while (bench_now_ns() - begun_ns < RUN_NS);
	bench_print(begun_ns, pairs);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	locks = calloc(count, sizeof(*locks));
	if (!locks)
		bench_die("calloc");
	if (argc > 2 && !strcmp(argv[2], "wanted"))
		measure_wanted(&thread);
	else
		measure_unwanted(&thread);
	return 0;
}
