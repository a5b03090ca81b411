/*
 * Loop threads that are cancelled in a wait, or in a sleep of a callback. What
 * runs then, a cleanup handler and a key's destructor, waits for an answer that
 * does not come, and signals itself.
 *
 * prints a line for each call and each of both, as it is without the shim
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <threads.h>
#include <unistd.h>

#include "victim.h"

#define ANSWER_US 20000
#define TURNS	  5

static int epoll_fd, pair[2];
static pthread_key_t key;
static volatile sig_atomic_t signals;

static void count(int sig)
{
	(void)sig;
	signals++;
}

static void tell(const char *call, const char *where)
{
	sigset_t blocked;
	int had = signals, others = 0, error;
	char byte;

	error = recv(pair[0], &byte, 1, 0) < 0 ? errno : 0;
	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	/* libc's own, that is, not. */
	for (int sig = 1; sig < 32; sig++)
		others += sigismember(&blocked, sig) == 1;
	pthread_kill(pthread_self(), SIGUSR2);
	printf("%s, %s: %s, %d signals blocked, %d came\n", call, where,
	       strerrorname_np(error), others, signals - had);
}

static void cleanup(void *call)
{
	tell(call, "cleanup");
}

static void destroy(void *call)
{
	tell(call, "destructor");
}

static const struct timespec second = { .tv_sec = 1 };

#define CALLS(X)                                                               \
	X(epoll_wait, epoll_wait(epoll_fd, &event, 1, -1))                     \
	X(poll, poll(NULL, 0, -1))                                             \
	X(ppoll, ppoll(NULL, 0, NULL, NULL))                                   \
	X(select, select(0, NULL, NULL, NULL, NULL))                           \
	X(pselect, pselect(0, NULL, NULL, NULL, NULL, NULL))                   \
	X(sleep, (int)sleep(1))                                                \
	X(usleep, usleep(900000))                                              \
	X(nanosleep, nanosleep(&second, NULL))                                 \
	X(clock_nanosleep, clock_nanosleep(CLOCK_MONOTONIC, 0, &second, NULL)) \
	X(pause, pause())

/* The timer is armed as the last of the turns has returned. */
#define X(name, call)                                                          \
	static void *loop_##name(void *unused)                                 \
	{                                                                      \
		struct epoll_event event;                                      \
                                                                               \
		(void)unused;                                                  \
		pthread_setspecific(key, #name);                               \
		for (int i = 0; i < TURNS; i++)                                \
			epoll_wait(epoll_fd, &event, 1, 1);                    \
		pthread_cleanup_push(cleanup, #name);                          \
		for (;;)                                                       \
			call;                                                  \
		pthread_cleanup_pop(0);                                        \
		return NULL;                                                   \
	}
CALLS(X)
#undef X

static void *(*const loops[])(void *) = {
#define X(name, call) loop_##name,
	CALLS(X)
#undef X
};

int main(void)
{
	struct timeval answer = { .tv_usec = ANSWER_US };
	pthread_t thread;

	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGUSR2, count);
	epoll_fd = epoll_create1(0);
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &answer, sizeof(answer));
	pthread_key_create(&key, destroy);
	for (size_t i = 0; i < sizeof(loops) / sizeof(*loops); i++) {
		pthread_create(&thread, NULL, loops[i], NULL);
		/* For a tick to come in it: nothing tells that from here. */
		usleep(3 * ANSWER_US);
		pthread_cancel(thread);
		pthread_join(thread, NULL);
	}
	return 0;
}
