/*
 * Runs of a callback in an event loop, and how long they were by the victim's
 * own clock: a line each, "run NANOSECONDS cpu NANOSECONDS".
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef E2E_VICTIM_RUNS_H
#define E2E_VICTIM_RUNS_H

#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "victim.h"

static inline uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static inline void turn(int epoll_fd)
{
	struct epoll_event event;

	epoll_wait(epoll_fd, &event, 1, 1);
}

/* Another process or thread sleeps so long that nobody is in its way. */
static inline void pause_ns(uint64_t ns)
{
	struct timespec want = {
		.tv_sec = (time_t)(ns / NS_PER_S),
		.tv_nsec = (long)(ns % NS_PER_S),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &want, &want))
		;
}

static inline void write_a_byte(int fd)
{
	if (write(fd, "x", 1) != 1)
		_exit(1);
}

static inline void read_a_byte(int fd)
{
	char byte;

	if (read(fd, &byte, 1) != 1)
		abort();
}

static pthread_mutex_t printing = PTHREAD_MUTEX_INITIALIZER;

/* With one of the loop's turns before and behind. */
static inline void run(int epoll_fd, void (*callback)(void))
{
	uint64_t begun_ns, used_ns;

	turn(epoll_fd);
	begun_ns = now_ns();
	used_ns = cpu_ns();
	callback();
	begun_ns = now_ns() - begun_ns;
	used_ns = cpu_ns() - used_ns;
	/* The line is no part of the run. */
	turn(epoll_fd);
	pthread_mutex_lock(&printing);
	printf("run %llu cpu %llu\n", (unsigned long long)begun_ns,
	       (unsigned long long)used_ns);
	pthread_mutex_unlock(&printing);
}

static inline void run_one(void (*callback)(void))
{
	int epoll_fd = epoll_create1(0);

	for (int i = 0; i < 5; i++)
		turn(epoll_fd);
	run(epoll_fd, callback);
}

#endif
