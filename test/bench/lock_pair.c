/*
 * Lock and unlock of a mutex nobody else wants. A second thread exists, as
 * libc takes a short cut in a process with one.
 *
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <unistd.h>

#include "bench.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned guarded;

static void *idle(void *unused)
{
	pause();
	return unused;
}

int main(void)
{
	uint64_t begun_ns, pairs = 0;
	pthread_t thread;

	if (pthread_create(&thread, NULL, idle, NULL) != 0)
		bench_die("pthread_create");
	begun_ns = bench_now_ns();
	do {
		for (int i = 0; i < 10000; i++) {
			pthread_mutex_lock(&mutex);
			guarded++;
			pthread_mutex_unlock(&mutex);
		}
		pairs += 10000;
	} while (bench_now_ns() - begun_ns < RUN_NS);
	bench_print(begun_ns, pairs);
	return 0;
}
