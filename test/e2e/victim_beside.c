/*
 * A thread that has a library turn, and polls one descriptor besides: in a loop
 * of its own, for an answer, or as its loop, for what it is to do.
 *
 * usage: victim_beside WHAT [set]: of one that is idle the library polls that
 * prints how long each wait took that is a stall: "run NS"; or "waits"
 *
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "victim.h"

#define STALL_MS 60
#define IDLE_MS	 150
#define TURN_MS	 8

static int loop_fd;	    /* the library's */
static int pipes[2][2];	    /* so are these */
static int requests[2];	    /* a pair of sockets */
static struct pollfd other; /* that nothing comes by */

/* The library: its wait is three calls down. */

static void library_epolls(int ms)
{
	struct epoll_event event;

	epoll_wait(loop_fd, &event, 1, ms);
	KEEP_FRAME();
}

static void library_polls(int ms)
{
	struct pollfd fds[] = { { pipes[0][0], POLLIN, 0 },
				{ pipes[1][0], POLLIN, 0 } };

	poll(fds, 2, ms);
	KEEP_FRAME();
}

/* For a timer that is a descriptor, too. */
static void library_reads(int ms)
{
	const struct itimerspec after = {
		.it_value = { .tv_nsec = ms * (long)NS_PER_MS },
	};
	static int fd;
	uint64_t expired;

	if (!fd) {
		fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
		epoll_ctl(loop_fd, EPOLL_CTL_ADD, fd,
			  &(struct epoll_event){ .events = EPOLLIN });
		timerfd_settime(fd, 0, &after, NULL);
	}
	library_epolls(-1);
	if (read(fd, &expired, sizeof(expired)) > 0)
		timerfd_settime(fd, 0, &after, NULL);
}

static void (*library_waits)(int ms) = library_epolls;

static void library_steps(int ms)
{
	library_waits(ms);
	KEEP_FRAME();
}

static void turn_once(int ms)
{
	library_steps(ms);
	KEEP_FRAME();
}

static void turn_often(int times, int ms)
{
	while (times--)
		library_steps(ms);
}

/* Waits for an answer that does not come. */

static void work_polls(void)
{
	poll(&other, 1, STALL_MS);
	KEEP_FRAME();
}

static void work_ppolls(void)
{
	const struct timespec timeout = { .tv_nsec = STALL_MS * NS_PER_MS };

	ppoll(&other, 1, &timeout, NULL);
	KEEP_FRAME();
}

static void work_selects(void)
{
	struct timeval timeout = { .tv_usec = STALL_MS * 1000 };
	fd_set in;

	FD_ZERO(&in);
	FD_SET(other.fd, &in);
	select(other.fd + 1, &in, NULL, NULL, &timeout);
	KEEP_FRAME();
}

static void work_calls(void)
{
	struct timespec timeout = { .tv_nsec = STALL_MS * NS_PER_MS };

	syscall(SYS_ppoll, &other, 1, &timeout, NULL, 0);
	KEEP_FRAME();
}

static void work_sleeps(void)
{
	poll(NULL, 0, STALL_MS);
	KEEP_FRAME();
}

/* In parts, of which none is a stall. */
static void work_often(void)
{
	for (int i = 0; i < 6; i++)
		poll(&other, 1, STALL_MS / 6);
}

/* Ten calls of it, in turns that are so far from each other. */
static void turn_and(void (*work)(void), int from, int each)
{
	uint64_t begun_ns;

	for (int i = 0; i <= from + 9 * each; i++) {
		turn_once(TURN_MS);
		if (i < from || (i - from) % each)
			continue;
		begun_ns = now_ns();
		work();
		printf("run %llu\n", (unsigned long long)(now_ns() - begun_ns));
	}
	turn_once(TURN_MS);
}

/* Programs that are idle in their own poll. */

static void wait_for_request(int ms)
{
	struct pollfd fd = { requests[0], POLLIN, 0 };

	poll(&fd, 1, ms);
	KEEP_FRAME();
}

static void start(void)
{
	turn_often(20, TURN_MS);
	KEEP_FRAME();
}

static void serve(void)
{
	turn_often(10, 1);
}

/* What a program does besides is its start first, and then its requests. */
static void idle(void (*before)(void), void (*after)(void))
{
	before();
	for (int i = 0; i < 10; i++) {
		wait_for_request(IDLE_MS);
		after();
	}
}

static void nothing(void)
{
}

static void idle_in_main(void)
{
	struct pollfd fd = { requests[0], POLLIN, 0 };

	start();
	for (int i = 0; i < 10; i++)
		poll(&fd, 1, STALL_MS);
}

static void idle_for_ever(void)
{
	start();
	puts("waits");
	fflush(stdout);
	for (;;)
		wait_for_request(-1);
}

static void wait_for_either(int ms)
{
	struct pollfd fds[] = { { requests[0], POLLIN, 0 },
				{ pipes[0][0], POLLIN, 0 } };

	poll(fds, 2, ms);
	KEEP_FRAME();
}

/* In turns for a request and for more, and in the library no more. */
static void idle_in_turns(void)
{
	start();
	for (int i = 0; i < 10; i++) {
		wait_for_request(STALL_MS / 2);
		wait_for_either(1);
	}
}

/* The same, and before its start. */
static void idle_in_turns_again(void)
{
	for (int i = 0; i < 4; i++)
		wait_for_either(1);
	idle_in_turns();
}

static void poll_embedded(int ms)
{
	struct pollfd fd = { loop_fd, POLLIN, 0 };

	poll(&fd, 1, ms);
	KEEP_FRAME();
}

static void idle_embeds(void)
{
	start();
	for (int i = 0; i < 10; i++) {
		poll_embedded(STALL_MS);
		turn_once(0);
	}
}

static void poll_listener(int fd)
{
	struct pollfd listener = { fd, POLLIN, 0 };

	poll(&listener, 1, STALL_MS);
	KEEP_FRAME();
}

static void idle_listens(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	bind(fd, &(struct sockaddr){ .sa_family = AF_UNIX },
	     sizeof(sa_family_t));
	listen(fd, 1);
	start();
	for (int i = 0; i < 10; i++) {
		poll_listener(fd);
		turn_often(40, 2);
	}
}

/* It polls before its first request, and its requests take longer than that. */
static void idle_first(void)
{
	for (int i = 0; i < 10; i++) {
		wait_for_request(i ? STALL_MS / 2 : STALL_MS);
		turn_often(40, 2);
	}
}

/* The same, by other calls than its start. */
static void idle_by_other_calls(void)
{
	start();
	for (int i = 0; i < 10; i++) {
		wait_for_request(STALL_MS / 2);
		turn_often(40, 2);
	}
}

static void one_closed(void)
{
	loop_fd = epoll_create1(0);
	turn_often(20, 2);
	close(loop_fd);
}

static const struct {
	const char *name;
	void (*work)(void);
	int from, each; /* turns */
	void (*library)(int ms);
} loops[] = {
	{ "polls", work_polls, 40, 8, library_epolls },
	{ "ppolls", work_ppolls, 40, 8, library_epolls },
	{ "selects", work_selects, 40, 8, library_epolls },
	{ "calls", work_calls, 40, 8, library_epolls },
	{ "sleeps", work_sleeps, 40, 8, library_epolls },
	{ "often", work_often, 80, 16, library_epolls },
	{ "busy-polls", work_polls, 40, 1, library_reads },
	{ "early-polls", work_polls, 0, 12, library_epolls },
	{ "set-polls", work_polls, 40, 8, library_polls },
	{ "set-selects", work_selects, 40, 8, library_polls },
};

static void idle_once(void)
{
	idle(start, nothing);
}

static void idle_between(void)
{
	idle(start, serve);
}

static void idle_alike(void)
{
	idle(serve, serve);
}

static void idle_closed(void)
{
	idle(one_closed, one_closed);
}

static const struct {
	const char *name;
	void (*program)(void);
} programs[] = {
	{ "idle-once", idle_once },
	{ "idle-in-main", idle_in_main },
	{ "idle-for-ever", idle_for_ever },
	{ "idle-between", idle_between },
	{ "idle-alike", idle_alike },
	{ "idle-closed", idle_closed },
	{ "idle-in-turns", idle_in_turns },
	{ "idle-in-turns-again", idle_in_turns_again },
	{ "idle-embeds", idle_embeds },
	{ "idle-listens", idle_listens },
	{ "idle-first", idle_first },
	{ "idle-by-other-calls", idle_by_other_calls },
};

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	loop_fd = epoll_create1(0);
	if (pipe(pipes[0]) || pipe(pipes[1]) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, requests))
		return 2;
	other = (struct pollfd){ requests[1], POLLIN, 0 };
	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
		if (strcmp(what, loops[i].name) != 0)
			continue;
		library_waits = loops[i].library;
		turn_and(loops[i].work, loops[i].from, loops[i].each);
		return 0;
	}
	if (argc > 2)
		library_waits = library_polls;
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		if (strcmp(what, programs[i].name) != 0)
			continue;
		programs[i].program();
		return 0;
	}
	return 2;
}
