/*
 * Turns that block: two threads, each a loop, wake each other through eventfds.
 *
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "bench.h"

struct side {
	int loop; /* waits for in */
	int in;
	int out;
};

static void open_side(struct side *side, int in, int out)
{
	struct epoll_event event = { .events = EPOLLIN };

	*side = (struct side){ epoll_create1(0), in, out };
	if (side->loop < 0 ||
	    epoll_ctl(side->loop, EPOLL_CTL_ADD, in, &event) < 0)
		bench_die("epoll");
}

static void turn(const struct side *side)
{
	struct epoll_event event;
	eventfd_t count;

	if (epoll_wait(side->loop, &event, 1, -1) != 1)
		bench_die("epoll_wait");
	if (eventfd_read(side->in, &count) < 0 ||
	    eventfd_write(side->out, 1) < 0)
		bench_die("eventfd");
}

static void *answer(void *side)
{
	for (;;)
		turn(side);
	return NULL;
}

int main(void)
{
	int ping = eventfd(0, 0), pong = eventfd(0, 0);
	/* Not on the stack: the other thread goes on while this one exits. */
	static struct side here, there;
	uint64_t begun_ns, turns = 0;
	pthread_t thread;

	open_side(&here, pong, ping);
	open_side(&there, ping, pong);
	if (pthread_create(&thread, NULL, answer, &there) != 0)
		bench_die("pthread_create");
	eventfd_write(ping, 1);
	begun_ns = bench_now_ns();
	do {
		turn(&here);
		turns += 2;
	} while (bench_now_ns() - begun_ns < RUN_NS);
	bench_print(begun_ns, turns);
	return 0;
}
