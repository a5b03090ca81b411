/*
 * A loop that polls for 300 ms, while the process is stopped from 100 ms to
 * 600 ms: as poll(2) goes by the clock it is over then. Prints how many
 * milliseconds it took, the least of some tries.
 *
 * usage: victim_stopped poll|raw_poll
 *
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"

#define TRIES	  3
#define LENGTH_MS 300
#define GOOD_MS	  610

static long poll_for(int ms, bool is_raw)
{
#ifdef SYS_poll
	if (is_raw)
		return syscall(SYS_poll, NULL, 0, ms);
#endif
	(void)is_raw;
	return poll(NULL, 0, ms);
}

static void stop_parent_for_a_while(void)
{
	pid_t parent = getpid();

	if (fork())
		return;
	usleep(100000);
	kill(parent, SIGSTOP);
	usleep(500000);
	kill(parent, SIGCONT);
	_exit(0);
}

static uint64_t poll_stopped(bool is_raw)
{
	uint64_t begun_ns;

	for (int i = 0; i < 5; i++)
		poll_for(1, is_raw);
	stop_parent_for_a_while();
	begun_ns = now_ns();
	poll_for(LENGTH_MS, is_raw);
	return (now_ns() - begun_ns) / NS_PER_MS;
}

int main(int argc, char **argv)
{
	bool is_raw = argc > 1 && !strcmp(argv[1], "raw_poll");
	uint64_t ms, least_ms = UINT64_MAX;

	for (int i = 0; i < TRIES && least_ms > GOOD_MS; i++) {
		ms = poll_stopped(is_raw);
		least_ms = ms < least_ms ? ms : least_ms;
		while (wait(NULL) < 0)
			;
	}
	printf("%ju\n", (uintmax_t)least_ms);
	return 0;
}
