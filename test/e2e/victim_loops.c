/*
 * Event loops in threads of their own, one after the other, whose runs take as
 * long as they are told to.
 *
 * usage: victim_loops NAME:MICROSECONDS:TURNS[:LATE[:WAIT]] ... [stay]
 *
 * A thread takes its name at once, or before its turn LATE. It waits for
 * nothing, at most WAIT ms at a time; usually 0. Prints for each
 * what its own clock says of its runs: "NAME p50=NS p90=NS p99=NS p999=NS".
 * With stay the program says "ready" in the end, and waits to be killed.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "victim.h"

struct loop {
	char name[16];
	unsigned run_us;
	unsigned turns;
	unsigned late;
	int wait_ms;
	uint64_t *runs_ns;
};

static int by_length(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/* parts of 1000 took no longer. */
static uint64_t percentile(const struct loop *loop, unsigned parts)
{
	return loop->runs_ns[(loop->turns * parts + 999) / 1000 - 1];
}

static void tell(struct loop *loop)
{
	qsort(loop->runs_ns, loop->turns, sizeof(uint64_t), by_length);
	printf("%s p50=%ju p90=%ju p99=%ju p999=%ju\n", loop->name,
	       percentile(loop, 500), percentile(loop, 900),
	       percentile(loop, 990), percentile(loop, 999));
	fflush(stdout);
}

static void *turn(void *argument)
{
	struct loop *loop = argument;
	int fd = epoll_create1(0);
	struct epoll_event event;

	loop->runs_ns = calloc(loop->turns, sizeof(uint64_t));
	if (!loop->runs_ns)
		abort();
	epoll_wait(fd, &event, 1, 0);
	for (unsigned i = 0; i < loop->turns; i++) {
		uint64_t begun_ns = now_ns();

		if (i == loop->late)
			pthread_setname_np(pthread_self(), loop->name);
		/* Late: until it has its name it is quick. */
		if (i >= loop->late)
			spin(loop->run_us * UINT64_C(1000));
		loop->runs_ns[i] = now_ns() - begun_ns;
		epoll_wait(fd, &event, 1, loop->wait_ms);
	}
	close(fd);
	return NULL;
}

static bool run(const char *words)
{
	struct loop loop = { .late = 0 };
	pthread_t thread;

	if (sscanf(words, "%15[^:]:%u:%u:%u:%d", loop.name, &loop.run_us,
		   &loop.turns, &loop.late, &loop.wait_ms) < 3)
		return false;
	if (pthread_create(&thread, NULL, turn, &loop))
		return false;
	pthread_join(thread, NULL);
	tell(&loop);
	free(loop.runs_ns);
	return true;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "stay")) {
			printf("ready\n");
			fflush(stdout);
			pause();
		} else if (!run(argv[i])) {
			return 2;
		}
	}
	return 0;
}
