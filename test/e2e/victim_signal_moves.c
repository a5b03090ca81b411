/*
 * A host that changes its mind about signals while its threads compute and
 * wait: it must never be hit by a signal it did not send, nor miss one.
 *
 * usage: victim_signal_moves CASE
 *
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "victim_signal.h"

#define FLIPS	2000
#define FOR_NS	(4 * NS_PER_S) /* on a busy machine: no more than so long */
#define LOST_NS (2 * NS_PER_S)

static atomic_int count;
static atomic_bool over;
static int pipe_fds[2];

static void on_count(int sig)
{
	(void)sig;
	count++;
}

static void *loop(void *unused)
{
	while (!over)
		loop_for(NS_PER_MS);
	return unused;
}

/* The same where the host does break its waits. */
static void *loop_broken(void *unused)
{
	while (!over) {
		poll(NULL, 0, 1);
		spin(3 * NS_PER_MS);
	}
	return unused;
}

static bool becomes(int value)
{
	uint64_t begun_ns = now_ns();

	while (count != value) {
		if (now_ns() - begun_ns > LOST_NS)
			return false;
		sched_yield();
	}
	return true;
}

/* Sent to a thread that has just been under ticks of the same number. */
static void flips(void)
{
	static sighandler_t const between[] = { SIG_DFL, SIG_IGN };
	uint64_t begun_ns = now_ns();
	pthread_t thread;
	int lost = 0;

	pthread_create(&thread, NULL, loop_broken, NULL);
	for (int i = 0; i < FLIPS && now_ns() - begun_ns < FOR_NS; i++) {
		count = 0;
		signal(SIGUSR1, on_count);
		pthread_kill(thread, SIGUSR1);
		lost += !becomes(1);
		signal(SIGUSR1, between[i % 2]);
	}
	over = true;
	pthread_join(thread, NULL);
	printf("lost %d\n", lost);
}

/* One signal after the other, wherever the ticks may have gone. */
static void chase(void)
{
	pthread_t thread[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, loop, NULL);
	loop_for(10 * NS_PER_MS);
	for (int sig = 64; sig > 0; sig--) {
		if (sig < SIGRTMIN && sig != SIGUSR1)
			continue;
		set_action(sig, on_count, 0, 0);
		loop_for(2 * NS_PER_MS);
		set_action(sig, sig % 2 ? SIG_DFL : SIG_IGN, 0, 0);
		set_action(sig, SIG_DFL, 0, 0);
	}
	over = true;
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	printf("count %d\n", count);
}

/* A run that goes on into a read: natively nothing interrupts it. */
static void *read_in_a_run(void *tid)
{
	char byte;

	loop_for(2 * NS_PER_MS);
	*(atomic_int *)tid = gettid();
	if (read(pipe_fds[0], &byte, 1) != 1)
		printf("read: %s\n", strerror(errno));
	return NULL;
}

static void reads(void)
{
	static atomic_int tid;
	pthread_t thread;
	uint64_t begun_ns;

	if (pipe(pipe_fds))
		abort();
	pthread_create(&thread, NULL, read_in_a_run, &tid);
	while (!tid || !sleeps(tid))
		;
	/* Without SA_RESTART. */
	set_action(SIGUSR1, on_count, 0, 0);
	begun_ns = now_ns();
	while (now_ns() - begun_ns < 5 * NS_PER_MS)
		;
	if (write(pipe_fds[1], "x", 1) != 1)
		abort();
	pthread_join(thread, NULL);
	printf("count %d\n", count);
}

/* Which of these has the kernel a handler for? */
static void say_caught(void)
{
	static const int asked[] = { SIGUSR1, 62, 61, 60 };
	char line[256];
	unsigned long long caught = 0;
	FILE *status = fopen("/proc/self/status", "r");

	while (status && fgets(line, sizeof(line), status))
		sscanf(line, "SigCgt: %llx", &caught);
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++)
		if (caught >> (asked[i] - 1) & 1)
			printf("%d ", asked[i]);
	puts("are caught");
}

/* Not as natively: it shows where the ticks go. */
static void numbers(void)
{
	loop_for(10 * NS_PER_MS);
	say_caught();
	signal(SIGUSR1, on_count);
	say_caught();
	signal(62, on_count);
	say_caught();
}

static const struct signal_case cases[] = {
	{ "flips", flips },	{ "chase", chase }, { "reads", reads },
	{ "numbers", numbers }, { NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_case(cases, argc, argv);
}
