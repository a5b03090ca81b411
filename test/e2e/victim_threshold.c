/*
 * An event loop whose runs are just below and just above a threshold of 10 ms,
 * in turn. The machine may lengthen a run: it goes on until 100 of those below
 * are below whatever came in between.
 *
 * prints, for each run, the least and the most that it can have been by the
 * victim's own clock: "run NANOSECONDS NANOSECONDS"
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <sys/epoll.h>

#include "victim.h"

#define THRESHOLD_NS (10 * NS_PER_MS)
#define APART_NS     (NS_PER_MS / 2)
#define WANTED	     100
#define MOST_TURNS   8000

static int epoll_fd;

static void turn(void)
{
	struct epoll_event event;

	epoll_wait(epoll_fd, &event, 1, 0);
}

int main(void)
{
	uint64_t before_ns = now_ns(), length_ns = THRESHOLD_NS - APART_NS;
	int below = 0;

	epoll_fd = epoll_create1(0);
	turn();
	for (int i = 0; i < MOST_TURNS && below < WANTED; i++) {
		uint64_t begun_ns = now_ns(), least_ns, most_ns, next_ns;

		spin(length_ns);
		next_ns = now_ns();
		least_ns = next_ns - begun_ns;
		turn();
		most_ns = now_ns() - before_ns;
		printf("run %ju %ju\n", (uintmax_t)least_ns,
		       (uintmax_t)most_ns);
		below += most_ns < THRESHOLD_NS;
		before_ns = next_ns;
		length_ns = 2 * THRESHOLD_NS - length_ns;
	}
	return below < WANTED;
}
