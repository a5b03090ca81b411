/*
 * A host that blocks every signal but a few, which a timer might be using: what
 * a thread that has that mask is told, and gets; and one that waits for all.
 *
 * usage: victim_signal_left_open CASE
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "victim_signal.h"

/* And those below it. */
#define LAST (SIGRTMAX - 2)

static atomic_int count;

static void on_count(int sig)
{
	(void)sig;
	count++;
}

static sigset_t all_but(int few)
{
	sigset_t set;

	sigfillset(&set);
	for (int i = 0; i < few; i++)
		sigdelset(&set, LAST - i);
	return set;
}

static void handle(int few)
{
	for (int i = 0; i < few; i++)
		signal(LAST - i, on_count);
	loop_for(5 * NS_PER_MS);
}

/* What it is told of its mask is what it goes on with. */
static void *be_born(void *few)
{
	sigset_t mask;

	say_mask("born");
	loop_for(10 * NS_PER_MS);
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	for (int i = 0; i < *(int *)few; i++)
		pthread_kill(pthread_self(), LAST - i);
	loop_for(10 * NS_PER_MS);
	say_mask("later");
	printf("count %d\n", count);
	return NULL;
}

static void bear(const pthread_attr_t *attr, int few)
{
	pthread_t thread;

	pthread_create(&thread, attr, be_born, &few);
	pthread_join(thread, NULL);
}

static void inherited(void)
{
	for (int few = 1; few < 10; few++) {
		sigset_t set = all_but(few);

		handle(few);
		pthread_sigmask(SIG_SETMASK, &set, NULL);
		bear(NULL, few);
	}
}

static void attribute(void)
{
	for (int few = 1; few < 10; few++) {
		sigset_t set = all_but(few);
		pthread_attr_t attr;

		pthread_attr_init(&attr);
		pthread_attr_setsigmask_np(&attr, &set);
		handle(few);
		bear(&attr, few);
		pthread_attr_destroy(&attr);
	}
}

static void without_handlers(void)
{
	for (int few = 1; few < 10; few++) {
		sigset_t set = all_but(few);

		pthread_sigmask(SIG_SETMASK, &set, NULL);
		loop_for(5 * NS_PER_MS);
		bear(NULL, 0);
	}
}

static void opened(void)
{
	for (int few = 1; few < 10; few++) {
		sigset_t all, set;

		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, NULL);
		sigemptyset(&set);
		for (int i = 0; i < few; i++)
			sigaddset(&set, LAST - i);
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
		say_mask("opened");
		handle(few);
		say_mask("handled");
		for (int i = 0; i < few; i++)
			raise(LAST - i);
		say_mask("raised");
		printf("count %d\n", count);
	}
}

static atomic_bool is_over;

static void *stay_blocked(void *none)
{
	while (!is_over)
		loop_for(NS_PER_MS);
	say_pending();
	return none;
}

/* What a thread has blocked from its birth, though its handler may nest. */
static void not_deferred(void)
{
	struct sigaction act = { .sa_handler = on_count,
				 .sa_flags = SA_NODEFER };
	sigset_t all, before;
	pthread_t thread;

	signal(SIGUSR1, on_count);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_create(&thread, NULL, stay_blocked, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	loop_for(20 * NS_PER_MS);
	sigaction(LAST, &act, NULL);
	for (int i = 0; i < 20; i++) {
		pthread_kill(thread, LAST);
		loop_for(2 * NS_PER_MS);
	}
	is_over = true;
	pthread_join(thread, NULL);
	printf("count %d\n", count);
}

/* That breaks a wait for a signal, as signal(7) has it, though none comes. */
static void stopped_wait(void)
{
	const struct timespec limit = { .tv_sec = 5 };
	pid_t self = getpid(), other;
	sigset_t all;

	loop_for(5 * NS_PER_MS);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	other = fork();
	if (!other) {
		usleep(100000);
		kill(self, SIGSTOP);
		usleep(100000);
		kill(self, SIGCONT);
		pause();
	}
	sigdelset(&all, SIGCONT);
	if (sigtimedwait(&all, NULL, &limit) < 0)
		puts(strerror(errno));
	kill(other, SIGKILL);
}

static const struct signal_case cases[] = {
	{ "inherited", inherited },
	{ "attribute", attribute },
	{ "without_handlers", without_handlers },
	{ "opened", opened },
	{ "not_deferred", not_deferred },
	{ "stopped_wait", stopped_wait },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_case(cases, argc, argv);
}
