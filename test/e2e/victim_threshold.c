/*
 * An event loop whose runs are just below and just above a threshold of 10 ms,
 * in turn. The machine may lengthen a run: it goes on until 200 of those below
 * are below by its own clock, too.
 *
 * prints, for each run, how long it was by its own clock: "run NANOSECONDS"
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <sys/epoll.h>

#include "victim.h"

#define BELOW_NS   (9500 * 1000)
#define ABOVE_NS   (10500 * 1000)
#define SURELY_NS  (9950 * 1000)
#define WANTED	   200
#define MOST_TURNS 4000

static int epoll_fd;

/* Waits, runs, and says how long the run was. */
static uint64_t turn(uint64_t length_ns)
{
	struct epoll_event event;
	uint64_t begun_ns, run_ns;

	epoll_wait(epoll_fd, &event, 1, 1);
	begun_ns = now_ns();
	spin(length_ns);
	run_ns = now_ns() - begun_ns;
	printf("run %llu\n", (unsigned long long)run_ns);
	return run_ns;
}

int main(void)
{
	int below = 0;

	epoll_fd = epoll_create1(0);
	for (int i = 0; i < MOST_TURNS && below < WANTED; i++) {
		below += turn(BELOW_NS) < SURELY_NS;
		turn(ABOVE_NS);
	}
	turn(0);
	return below < WANTED;
}
