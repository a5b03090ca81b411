/*
 * What victims share that are event loops with one callback, for one of several
 * places to be found in: the loop's turn, and the choice of the place by name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef E2E_VICTIM_PLACE_H
#define E2E_VICTIM_PLACE_H

#include <stdlib.h>
#include <sys/epoll.h>

#include "victim.h"

struct place {
	const char *name;
	void (*callback)(void);
};

static int loop_fd = -1;

static inline void turn(void)
{
	struct epoll_event event;

	epoll_wait(loop_fd, &event, 1, 1);
}

/* The place that the first argument names; none of that name: exits with 2. */
static inline const struct place *place_asked(const struct place *places,
					      int argc, char **argv)
{
	for (; argc > 1 && places->name; places++)
		if (strcmp(places->name, argv[1]) == 0)
			return places;
	exit(2);
}

/* To have come back to its wait makes it a loop. */
static inline void be_a_loop(void)
{
	loop_fd = epoll_create1(EPOLL_CLOEXEC);
	turn();
	turn();
}

#endif
