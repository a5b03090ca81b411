/*
 * A loop that waits in its callbacks, too: for another descriptor, which is
 * nested in the run, or for its own ones, which is a turn.
 *
 * usage: victim_nested WHAT
 * prints how long each of the nested waits that are a stall took: "run NS"
 *
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "victim.h"

#define STALL_MS 60

static int loop_fd, other_fd; /* epoll descriptors, nothing in them */
static int pipes[3][2];	      /* nothing in them either */
static int other_pipe[2];
static uint64_t run_begun_ns; /* when the loop's wait returned last */

static void tell_run(void)
{
	printf("run %llu\n", (unsigned long long)(now_ns() - run_begun_ns));
}

static int wait_epoll(int fd, int ms)
{
	struct epoll_event event;

	return epoll_wait(fd, &event, 1, ms);
}

static int wait_poll(unsigned n, int ms)
{
	struct pollfd fds[3];

	for (unsigned i = 0; i < n; i++)
		fds[i] = (struct pollfd){ pipes[i][0], POLLIN, 0 };
	return poll(fds, n, ms);
}

static int wait_select(unsigned n, int ms)
{
	struct timeval timeout = { .tv_usec = ms * 1000 };
	fd_set in;

	FD_ZERO(&in);
	for (unsigned i = 0; i < n; i++)
		FD_SET(pipes[i][0], &in);
	return select(pipes[2][0] + 1, &in, NULL, NULL, &timeout);
}

/* The loops, each with its own call: a turn, and a callback in every tenth. */

static void loop_by_epoll(void (*callback)(void))
{
	for (int i = 1; i <= 21; i++) {
		wait_epoll(loop_fd, 1);
		run_begun_ns = now_ns();
		if (i % 10 == 0)
			callback();
	}
}

static void loop_by_poll(void (*callback)(void))
{
	for (int i = 1; i <= 21; i++) {
		wait_poll(3, 1);
		run_begun_ns = now_ns();
		if (i % 10 == 0)
			callback();
	}
}

/* By the one function that polls, as in many a program: so does the callback.
 */

static __attribute__((noinline, noclone)) int poll_these(struct pollfd *fds,
							 unsigned n, int ms)
{
	int got = poll(fds, n, ms);

	__asm__ volatile(""); /* not the last call */
	return got;
}

static void loop_by_poll_these(void (*callback)(void))
{
	struct pollfd fds[] = { { pipes[0][0], POLLIN, 0 },
				{ pipes[1][0], POLLIN, 0 } };

	for (int i = 1; i <= 21; i++) {
		poll_these(fds, 2, 1);
		run_begun_ns = now_ns();
		if (i % 10 == 0)
			callback();
	}
}

/* Of one descriptor, beside which no poll is of fewer. */
static void loop_by_poll_of_one(void (*callback)(void))
{
	struct pollfd fd = { pipes[1][0], POLLIN, 0 };

	for (int i = 1; i <= 21; i++) {
		poll(&fd, 1, 1);
		run_begun_ns = now_ns();
		if (i % 10 == 0)
			callback();
	}
}

static void loop_by_select(void (*callback)(void))
{
	for (int i = 1; i <= 21; i++) {
		wait_select(3, 1);
		run_begun_ns = now_ns();
		if (i % 10 == 0)
			callback();
	}
}

/* A callback in each turn, from the first on. */
static void loop_busy(void (*callback)(void))
{
	for (int i = 0; i < 10; i++) {
		wait_epoll(loop_fd, 1);
		run_begun_ns = now_ns();
		callback();
	}
	wait_epoll(loop_fd, 1);
}

/* Calls that are not the loops' own. */

static void callback_polls(void)
{
	struct pollfd fd = { pipes[0][0], POLLIN, 0 };

	poll(&fd, 1, STALL_MS);
	tell_run();
}

static void callback_polls_alike(void)
{
	struct pollfd fd = { other_pipe[0], POLLIN, 0 };

	poll_these(&fd, 1, STALL_MS);
	tell_run();
}

static void callback_ppolls(void)
{
	struct timespec timeout = { .tv_nsec = STALL_MS * 1000000 };
	struct pollfd fd = { pipes[0][0], POLLIN, 0 };

	ppoll(&fd, 1, &timeout, NULL);
	tell_run();
}

static void callback_epolls(void)
{
	struct epoll_event event;

	epoll_pwait(other_fd, &event, 1, STALL_MS, NULL);
	tell_run();
}

static void handler_spins(int unused)
{
	(void)unused;
	spin(STALL_MS * NS_PER_MS);
	__asm__ volatile(""); /* not the last call */
}

/* Long after the first tick in the sleep. */
static void callback_is_interrupted(void)
{
	const struct itimerval once = { .it_value = { .tv_usec = 80000 } };

	signal(SIGALRM, handler_spins);
	setitimer(ITIMER_REAL, &once, NULL);
	usleep(300000);
	tell_run();
}

/* The longest slice between two ticks is the sleep, but it is not the most. */
static void callback_sleeps_and_epolls(void)
{
	struct epoll_event event;

	usleep(80000);
	epoll_pwait(other_fd, &event, 1, 400, NULL);
	tell_run();
}

static void callback_selects(void)
{
	struct timespec timeout = { .tv_nsec = STALL_MS * 1000000 };
	fd_set in;

	FD_ZERO(&in);
	FD_SET(pipes[0][0], &in);
	pselect(pipes[0][0] + 1, &in, NULL, NULL, &timeout, NULL);
	tell_run();
}

static void poll_often(int times, int ms)
{
	struct pollfd fd = { pipes[0][0], POLLIN, 0 };

	for (int i = 0; i < times; i++)
		poll(&fd, 1, ms);
	tell_run();
}

/* Many short waits, of which none is a stall by itself. */
static void callback_polls_often(void)
{
	poll_often(STALL_MS / 4, 4);
}

/* As for an answer that is looked for every now and then. */
static void callback_polls_long(void)
{
	poll_often(200, 10);
}

static void callback_serves_loop(void)
{
	struct epoll_event event;

	epoll_pwait(loop_fd, &event, 1, STALL_MS, NULL);
}

/* As where one loop is embedded in another. */
static void callback_polls_loop(void)
{
	struct pollfd fds[] = { { pipes[0][0], POLLIN, 0 },
				{ loop_fd, POLLIN, 0 } };

	poll(fds, 2, STALL_MS);
}

static void callback_selects_loop(void)
{
	struct timeval timeout = { .tv_usec = STALL_MS * 1000 };
	fd_set in;

	FD_ZERO(&in);
	FD_SET(loop_fd, &in);
	select(loop_fd + 1, &in, NULL, NULL, &timeout);
}

/* As the main loops of GLib, run by a dialogue in a callback. */
static void callback_runs_same_loop(void)
{
	wait_poll(1, STALL_MS);
}

static void callback_polls_no_less(void)
{
	struct pollfd fds[3];

	for (int i = 0; i < 3; i++)
		fds[i] = (struct pollfd){ pipes[i][0], POLLIN, 0 };
	poll(fds, 3, STALL_MS);
}

/* The loop was only for the start; the program's own is called from deeper. */
static void callback_moves(void)
{
	uint64_t begun_ns = now_ns();

	while (now_ns() - begun_ns < 12 * NS_PER_S) {
		struct pollfd fd = { pipes[0][0], POLLIN, 0 };

		poll(&fd, 1, 20);
	}
	_exit(0);
}

/* A loop that is closed, and one that is begun deeper. */
static void callback_reopens(void)
{
	struct epoll_event event;

	close(loop_fd);
	epoll_pwait(other_fd, &event, 1, STALL_MS, NULL);
	_exit(0);
}

/* After its loop the thread does something else, and then the program ends. */
static void callback_leaves(void)
{
	spin(200 * NS_PER_MS);
	_exit(0);
}

/* A wait of which only the program's end is heard. */
static void callback_polls_for_ever(void)
{
	struct pollfd fd = { pipes[0][0], POLLIN, 0 };

	poll(&fd, 1, -1);
}

static const struct {
	const char *name;
	void (*loop)(void (*callback)(void));
	void (*callback)(void);
} things[] = {
	{ "epoll-poll", loop_by_epoll, callback_polls },
	{ "epoll-ppoll", loop_by_epoll, callback_ppolls },
	{ "epoll-epoll", loop_by_epoll, callback_epolls },
	{ "epoll-sleep", loop_by_epoll, callback_sleeps_and_epolls },
	{ "epoll-handler", loop_by_epoll, callback_is_interrupted },
	{ "epoll-select", loop_by_epoll, callback_selects },
	{ "epoll-often", loop_by_epoll, callback_polls_often },
	{ "epoll-long", loop_by_epoll, callback_polls_long },
	{ "poll-long", loop_by_poll, callback_polls_long },
	{ "poll-poll", loop_by_poll, callback_polls },
	{ "poll-alike", loop_by_poll_these, callback_polls_alike },
	{ "busy-polls", loop_busy, callback_polls },
	{ "busy-often", loop_busy, callback_polls_often },
	{ "poll-one", loop_by_poll_of_one, callback_polls },
	{ "poll-epoll", loop_by_poll, callback_epolls },
	{ "poll-select", loop_by_poll, callback_selects },
	{ "select-poll", loop_by_select, callback_polls },
	{ "select-select", loop_by_select, callback_selects },
	{ "own-descriptor", loop_by_epoll, callback_serves_loop },
	{ "own-in-poll", loop_by_epoll, callback_polls_loop },
	{ "own-in-select", loop_by_epoll, callback_selects_loop },
	{ "own-call", loop_by_poll, callback_runs_same_loop },
	{ "no-less", loop_by_poll, callback_polls_no_less },
	{ "moves", loop_by_epoll, callback_moves },
	{ "reopens", loop_by_epoll, callback_reopens },
	{ "leaves", loop_by_epoll, callback_leaves },
	{ "for-ever", loop_by_epoll, callback_polls_for_ever },
};

int main(int argc, char **argv)
{
	loop_fd = epoll_create1(0);
	other_fd = epoll_create1(0);
	for (int i = 0; i < 3; i++)
		if (pipe(pipes[i]))
			return 2;
	if (pipe(other_pipe))
		return 2;
	for (size_t i = 0; i < sizeof(things) / sizeof(things[0]); i++) {
		if (argc > 1 && !strcmp(argv[1], things[i].name)) {
			things[i].loop(things[i].callback);
			return 0;
		}
	}
	return 2;
}
