/*
 * Event loops that are stalled all the time, and a main thread that ends the
 * program in the midst of it.
 *
 * usage: victim_stallers MICROSECONDS
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "victim.h"

#define LOOPS 6

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *stall(void *none)
{
	int epoll_fd = epoll_create1(0);
	struct epoll_event event;

	for (unsigned i = 0;; i++) {
		epoll_wait(epoll_fd, &event, 1, 0);
		if (i % 2)
			usleep(1200);
		pthread_mutex_lock(&lock);
		spin(NS_PER_MS / 2);
		pthread_mutex_unlock(&lock);
	}
	return none;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	for (int i = 0; i < LOOPS; i++)
		pthread_create(&thread, NULL, stall, NULL);
	usleep(argc > 1 ? (useconds_t)atoi(argv[1]) : 0);
	return 0;
}
