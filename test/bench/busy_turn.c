/*
 * A turn of a loop that polls: epoll_wait with timeout 0, nothing to report.
 *
 * SPDX-License-Identifier: MIT
 */
#include <sys/epoll.h>

#include "bench.h"

int main(void)
{
	int loop = epoll_create1(0);
	uint64_t begun_ns, turns = 0;

	if (loop < 0)
		bench_die("epoll_create1");
	begun_ns = bench_now_ns();
	do {
		for (int i = 0; i < 100; i++) {
			struct epoll_event event;

			if (epoll_wait(loop, &event, 1, 0) != 0)
				bench_die("epoll_wait");
		}
		turns += 100;
	} while (bench_now_ns() - begun_ns < RUN_NS);
	bench_print(begun_ns, turns);
	return 0;
}
