/*
 * Threads one after the other, each a loop for a moment that contends once.
 *
 * usage: victim_many_threads THREADS
 * prints "threads N timers N": ended, and timers there are at the end
 *
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *live(void *arg)
{
	for (int i = 0; i < 3; i++)
		poll(NULL, 0, 0);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

/* One line "ID: n" for each timer of the process. */
static int count_timers(void)
{
	FILE *file = fopen("/proc/self/timers", "r");
	char line[256];
	int timers = 0;

	while (file && fgets(line, sizeof(line), file))
		timers += !strncmp(line, "ID:", 3);
	if (file)
		fclose(file);
	return timers;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1000;

	for (int i = 0; i < threads; i += 2) {
		pthread_t pair[2];

		for (int j = 0; j < 2; j++)
			if (pthread_create(&pair[j], NULL, live, NULL))
				return 1;
		for (int j = 0; j < 2; j++)
			pthread_join(pair[j], NULL);
	}
	printf("threads %d timers %d\n", threads, count_timers());
	return 0;
}
