/*
 * An event loop whose first callback asks somebody, with a minute's time, and
 * is answered after 30 ms; then callbacks compute for 30 ms each.
 *
 * usage: victim_answered poll|select|recv|read
 * prints "done" at the end
 *
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include "victim_place.h"

#define ANSWER_NS (30 * NS_PER_MS)
#define TURNS	  5

static int sockets[2];

static void *answer(void *none)
{
	const struct timespec while_asked = { .tv_nsec = ANSWER_NS };

	nanosleep(&while_asked, NULL);
	if (write(sockets[1], "x", 1) != 1)
		abort();
	return none;
}

static void callback_poll(void)
{
	struct pollfd one = { .fd = sockets[0], .events = POLLIN };

	poll(&one, 1, 60000);
}

static void callback_select(void)
{
	struct timeval minute = { .tv_sec = 60 };
	fd_set one;

	FD_ZERO(&one);
	FD_SET(sockets[0], &one);
	select(sockets[0] + 1, &one, NULL, NULL, &minute);
}

static void give_a_minute(void)
{
	const struct timeval minute = { .tv_sec = 60 };

	setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &minute,
		   sizeof(minute));
}

static void callback_recv(void)
{
	char byte;

	give_a_minute();
	if (recv(sockets[0], &byte, 1, 0) != 1)
		abort();
}

static void callback_read(void)
{
	char byte;

	give_a_minute();
	if (read(sockets[0], &byte, 1) != 1)
		abort();
}

static const struct place places[] = {
	{ "poll", callback_poll },
	{ "select", callback_select },
	{ "recv", callback_recv },
	{ "read", callback_read },
	{ NULL, NULL },
};

__attribute__((noinline)) static void callback_late(void)
{
	spin(30 * NS_PER_MS);
	KEEP_FRAME();
}

int main(int argc, char **argv)
{
	const struct place *place = place_asked(places, argc, argv);
	pthread_t other;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) ||
	    pthread_create(&other, NULL, answer, NULL))
		return 3;
	loop_fd = epoll_create1(EPOLL_CLOEXEC);
	turn();
	place->callback();
	pthread_join(other, NULL);
	for (int i = 0; i < TURNS; i++) {
		turn();
		callback_late();
	}
	turn();
	puts("done");
	return 0;
}
