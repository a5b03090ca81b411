/*
 * An event loop with a few stalls, and a standard error on which a line of ours
 * would do harm, or which it would wait for.
 *
 * usage: victim_log MODE
 *   plain         stalls ten times, for 15 ms each
 *   reuse FILE    closes standard error before: FILE gets its number
 *   full          fills the pipe that is standard error before
 *   gone          waits for the pipe's reader to be gone before
 *   sleeps        sleeps for 3 s in a run before
 *   limit         no file may have more than 300 bytes from here on
 * prints how long the stalls took by its own clock: "stalled NANOSECONDS", and
 * whether a signal was left behind: "pending SIGNAL".
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "victim.h"

#define STALLS 10

static int loop;

static void turn(void)
{
	struct epoll_event event;

	epoll_wait(loop, &event, 1, 0);
}

static void reuse(const char *path)
{
	close(2);
	if (open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) != 2)
		abort();
}

static void fill(void)
{
	static const char bytes[4096];
	int flags = fcntl(2, F_GETFL);

	fcntl(2, F_SETFL, flags | O_NONBLOCK);
	while (write(2, bytes, sizeof(bytes)) > 0)
		;
	while (write(2, bytes, 1) > 0)
		;
	fcntl(2, F_SETFL, flags);
}

static void await_reader_gone(void)
{
	struct pollfd end = { .fd = 2 };

	while (poll(&end, 1, 1000) < 1 || !(end.revents & POLLERR))
		;
}

static void sleep_long(void)
{
	turn();
	usleep(3000000);
	turn();
}

static void limit_files(void)
{
	const struct rlimit limit = { 300, 300 };

	setrlimit(RLIMIT_FSIZE, &limit);
}

static void tell_pending(void)
{
	sigset_t pending;

	sigpending(&pending);
	for (int sig = 1; sig < 32; sig++)
		if (sigismember(&pending, sig))
			printf("pending %d\n", sig);
}

static uint64_t stall(void)
{
	uint64_t begun_ns = now_ns();

	for (int i = 0; i < STALLS; i++) {
		turn();
		spin(15 * NS_PER_MS);
		errno = 4711;
		turn();
		if (errno != 4711)
			printf("errno %d\n", errno);
	}
	return now_ns() - begun_ns;
}

int main(int argc, char **argv)
{
	sigset_t pipe;

	loop = epoll_create1(0);
	turn();
	turn();
	if (argc > 2 && !strcmp(argv[1], "reuse"))
		reuse(argv[2]);
	else if (argc > 1 && !strcmp(argv[1], "full"))
		fill();
	else if (argc > 1 && !strcmp(argv[1], "gone"))
		await_reader_gone();
	else if (argc > 1 && !strcmp(argv[1], "sleeps"))
		sleep_long();
	else if (argc > 1 && !strcmp(argv[1], "limit"))
		limit_files();
	printf("stalled %ju\n", stall());
	/* With SIGPIPE blocked it would stay. */
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigprocmask(SIG_BLOCK, &pipe, NULL);
	stall();
	tell_pending();
	fflush(stdout);
	_exit(0);
}
