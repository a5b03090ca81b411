/*
 * Sleeps for a second in a nice process, in a run with a tick, and prints how
 * many nanoseconds later than asked it has returned: the least of some tries.
 *
 * usage: victim_late CALL
 *
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <threads.h>
#include <unistd.h>

#include "victim.h"

#define TRIES	  5
#define GOOD_NS	  (NS_PER_MS / 2)
#define LENGTH_NS NS_PER_S

static const struct timespec length = { .tv_sec = 1 };

static void by_sleep(void)
{
	sleep(1);
}

static void by_usleep(void)
{
	usleep(LENGTH_NS / 1000);
}

static void by_nanosleep(void)
{
	nanosleep(&length, NULL);
}

static void by_clock_nanosleep(void)
{
	clock_nanosleep(CLOCK_MONOTONIC, 0, &length, NULL);
}

static void by_thrd_sleep(void)
{
	thrd_sleep(&length, NULL);
}

static const struct {
	const char *name;
	void (*sleep_by)(void);
} calls[] = {
	{ "sleep", by_sleep },
	{ "usleep", by_usleep },
	{ "nanosleep", by_nanosleep },
	{ "clock_nanosleep", by_clock_nanosleep },
	{ "thrd_sleep", by_thrd_sleep },
};

static void (*sleep_by)(void);

/* In the first run of a thread, which one tick comes in. */
static void *sleep_late(void *late_ns)
{
	uint64_t begun_ns;

	poll(NULL, 0, 1);
	begun_ns = now_ns();
	sleep_by();
	*(uint64_t *)late_ns = now_ns() - begun_ns - LENGTH_NS;
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t late_ns, least_ns = UINT64_MAX;
	pthread_t thread;

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (argc > 1 && !strcmp(argv[1], calls[i].name))
			sleep_by = calls[i].sleep_by;
	}
	if (!sleep_by || nice(10) < 0)
		return 2;
	for (int i = 0; i < TRIES && least_ns > GOOD_NS; i++) {
		pthread_create(&thread, NULL, sleep_late, &late_ns);
		pthread_join(thread, NULL);
		if (late_ns < least_ns)
			least_ns = late_ns;
	}
	printf("%ju\n", (uintmax_t)least_ns);
	return 0;
}
