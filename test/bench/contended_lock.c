/*
 * Four threads that want the same lock most of the time: a microsecond of work
 * with it, one without.
 *
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <stdbool.h>

#include "bench.h"

#define THREADS 4
#define WORK	1500 /* about a microsecond */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool over;      /* atomic */
static uint64_t holds; /* under the mutex */

static void work(void)
{
	for (volatile int i = 0; i < WORK; i++)
		;
}

static void *want_lock(void *unused)
{
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		pthread_mutex_lock(&mutex);
		holds++;
		work();
		pthread_mutex_unlock(&mutex);
		work();
	}
	return unused;
}

int main(void)
{
	const struct timespec run = { .tv_nsec = RUN_NS };
	pthread_t thread[THREADS];
	uint64_t begun_ns = bench_now_ns();

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, want_lock, NULL) != 0)
			bench_die("pthread_create");
	nanosleep(&run, NULL);
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	bench_print(begun_ns, holds);
	return 0;
}
