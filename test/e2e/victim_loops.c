/*
 * Event loops in threads of their own, one after the other, whose runs take as
 * long as they are told to.
 *
 * usage: victim_loops NAME:MICROSECONDS:TURNS[:LATE[:WAIT]] ... [stay]
 *
 * A thread takes its name at once, or before its turn LATE. It waits for
 * nothing, at most WAIT ms at a time; usually 0. Prints for each what its own
 * clock says of its runs: "NAME p50=NS-NS p90=NS-NS p99=NS-NS p999=NS-NS", of
 * each percentile the runs next to it: with the end of the thread there is one
 * run more than is measured here. With stay the program says "ready" in the
 * end, and waits to be killed.
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

static uint64_t by_rank(const struct loop *loop, long rank)
{
	long last = (long)loop->turns - 1;

	return loop->runs_ns[rank < 0 ? 0 : rank > last ? last : rank];
}

/* parts of 1000 took no longer. */
static void tell_percentile(const struct loop *loop, const char *key,
			    unsigned parts)
{
	long rank = (long)(loop->turns * parts + 999) / 1000 - 1;

	printf(" %s=%ju-%ju", key, by_rank(loop, rank - 1),
	       by_rank(loop, rank + 1));
}

static void tell(struct loop *loop)
{
	qsort(loop->runs_ns, loop->turns, sizeof(uint64_t), by_length);
	printf("%s", loop->name);
	tell_percentile(loop, "p50", 500);
	tell_percentile(loop, "p90", 900);
	tell_percentile(loop, "p99", 990);
	tell_percentile(loop, "p999", 999);
	printf("\n");
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
