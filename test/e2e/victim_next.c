/*
 * An event loop with callbacks of a second, and one of 16 ms behind each.
 *
 * usage: victim_next HOW
 *   computes  the long one does
 *   blocks    in a call that no tick comes in
 *   waits     at another epoll
 *   claims    and the program claims SIGUSR1 for itself in the end; once
 * prints what the short ones took by its own clock, in all: "short NANOSECONDS"
 *
 * SPDX-License-Identifier: MIT
 */
#include <signal.h>
#include <sys/msg.h>
#include <sys/sem.h>

#include "victim_runs.h"

#define LONG_NS	 NS_PER_S
#define SHORT_NS (16 * NS_PER_MS)
#define ROUNDS	 4

static int semaphores = -1, other_epoll_fd;

static void computes(void)
{
	spin(LONG_NS);
}

static void blocks(void)
{
	const struct timespec second = { .tv_sec = 1 };
	struct sembuf down = { .sem_op = -1 };

	if (semtimedop(semaphores, &down, 1, &second) != -1)
		_exit(1);
}

static void waits(void)
{
	struct epoll_event event;

	if (epoll_wait(other_epoll_fd, &event, 1, 1000))
		_exit(1);
}

static void claims(void)
{
	blocks();
	signal(SIGUSR1, SIG_IGN);
}

static __attribute__((noinline, noclone)) void short_callback(void)
{
	spin(SHORT_NS);
	KEEP_FRAME();
}

/* What the short callbacks took. */
static uint64_t take_turns(int epoll_fd, void (*callback)(void), int rounds)
{
	uint64_t short_ns = 0, begun_ns;

	while (rounds--) {
		callback();
		turn(epoll_fd);
		begun_ns = now_ns();
		short_callback();
		short_ns += now_ns() - begun_ns;
		turn(epoll_fd);
	}
	return short_ns;
}

int main(int argc, char **argv)
{
	static const struct way {
		const char *name;
		void (*callback)(void);
		int rounds;
	} ways[] = {
		{ "computes", computes, ROUNDS },
		{ "blocks", blocks, ROUNDS },
		{ "waits", waits, ROUNDS },
		{ "claims", claims, 1 },
	};
	int epoll_fd = epoll_create1(0);
	uint64_t short_ns = 0;

	semaphores = semget(IPC_PRIVATE, 1, 0600);
	other_epoll_fd = epoll_create1(0);
	if (semaphores < 0)
		return 1;
	for (int i = 0; i < 10; i++)
		turn(epoll_fd);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (argc > 1 && !strcmp(argv[1], ways[i].name))
			short_ns = take_turns(epoll_fd, ways[i].callback,
					      ways[i].rounds);
	}
	semctl(semaphores, 0, IPC_RMID);
	printf("short %ju\n", (uintmax_t)short_ns);
	return !short_ns;
}
