/*
 * A host that waits for a signal which all its threads have blocked. They share
 * a processor, so that one that were to take it could come first.
 *
 * usage: victim_signal_taken CASE
 *
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "victim_signal.h"

#define THREADS 6
#define SENT	20
#define SIG	(SIGRTMAX - 2)

static atomic_int waits;
static atomic_bool over;

static void *loop_blocked(void *unused)
{
	while (!over)
		loop_for(NS_PER_MS);
	return unused;
}

/* Each when the last one has been taken, and the next is waited for. */
static void *send(void *unused)
{
	int main_thread = getpid();

	for (int i = 1; i <= SENT; i++) {
		while (waits < i || !sleeps(main_thread))
			wait_for_nothing(1);
		kill(getpid(), SIG);
	}
	return unused;
}

static void on_one_processor(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)sched_getcpu(), &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void take(int (*wait_for)(const sigset_t *set))
{
	pthread_t thread[THREADS + 1];
	sigset_t set, all;
	int taken = 0;

	on_one_processor();
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, loop_blocked, NULL);
	loop_for(20 * NS_PER_MS);
	sigemptyset(&set);
	sigaddset(&set, SIG);
	pthread_create(&thread[THREADS], NULL, send, NULL);
	while (waits < SENT) {
		waits++;
		errno = 0;
		if (wait_for(&set) == SIG)
			taken++;
		else
			printf("%d: %s\n", waits, strerror(errno));
	}
	over = true;
	for (int i = 0; i <= THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("taken %d\n", taken);
	say_pending();
}

static int wait_long(const sigset_t *set)
{
	const struct timespec timeout = { .tv_sec = 20 };

	return sigtimedwait(set, NULL, &timeout);
}

static int wait_for_ever(const sigset_t *set)
{
	return sigwaitinfo(set, NULL);
}

static void timed(void)
{
	take(wait_long);
}

static void endless(void)
{
	take(wait_for_ever);
}

static const struct signal_case cases[] = {
	{ "timed", timed },
	{ "endless", endless },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_case(cases, argc, argv);
}
