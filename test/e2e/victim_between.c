/*
 * A loop whose callback reads, and does something else before the next tick. No
 * hook measures how long a read blocks.
 *
 * usage: victim_between HOW
 *   rest  reads for 19 ms, and sleeps for a moment
 *   first reads for 19 ms, and looks for an answer, in the loop's first run
 *   nap   reads for 18 ms, and sleeps for 3 ms, in which a tick comes
 *   work  reads for 16 ms, and computes for 8 ms
 *   both  sleeps for 3 ms, reads for 1.5 ms, and so on for 62 ms
 * prints lines "NAME NANOSECONDS", what that took by its own clock, in all
 *
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <sys/timerfd.h>

#include "victim_runs.h"

#define ROUNDS 10

static uint64_t read_ns, nap_ns, work_ns;
static int timer_fd;

static __attribute__((noinline, noclone)) void read_for(uint64_t ns)
{
	const struct itimerspec when = { .it_value.tv_nsec = (long)ns };
	uint64_t begun_ns = now_ns(), expirations;

	if (timerfd_settime(timer_fd, 0, &when, NULL) ||
	    read(timer_fd, &expirations, sizeof(expirations)) < 0)
		_exit(1);
	read_ns += now_ns() - begun_ns;
}

static __attribute__((noinline, noclone)) void nap_for(uint64_t ns)
{
	uint64_t begun_ns = now_ns();

	pause_ns(ns);
	nap_ns += now_ns() - begun_ns;
}

static void rest(void)
{
	read_for(19 * NS_PER_MS);
	nap_for(50000);
}

static void first(void)
{
	struct pollfd fd = { .fd = timer_fd, .events = POLLIN };

	read_for(19 * NS_PER_MS);
	poll(&fd, 1, 0);
}

static void nap(void)
{
	read_for(18 * NS_PER_MS);
	nap_for(3 * NS_PER_MS);
}

static void work(void)
{
	uint64_t begun_ns;

	read_for(16 * NS_PER_MS);
	begun_ns = now_ns();
	spin(8 * NS_PER_MS);
	work_ns += now_ns() - begun_ns;
}

static void both(void)
{
	uint64_t begun_ns = now_ns();

	while (now_ns() - begun_ns < 62 * NS_PER_MS) {
		nap_for(3 * NS_PER_MS);
		read_for(3 * NS_PER_MS / 2);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*callback)(void);
	} ways[] = {
		{ "rest", rest }, { "first", first }, { "nap", nap },
		{ "work", work }, { "both", both },
	};
	bool is_first = argc > 1 && !strcmp(argv[1], "first");
	int epoll_fd = epoll_create1(0);

	timer_fd = timerfd_create(CLOCK_MONOTONIC, 0);
	for (int i = 0; i < 10 && !is_first; i++)
		turn(epoll_fd);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (argc < 2 || strcmp(argv[1], ways[i].name))
			continue;
		for (int n = is_first ? 1 : ROUNDS; n; n--)
			run(epoll_fd, ways[i].callback);
	}
	printf("read %ju\n", (uintmax_t)read_ns);
	printf("nap %ju\n", (uintmax_t)nap_ns);
	printf("work %ju\n", (uintmax_t)work_ns);
	return !read_ns;
}
