/*
 * A host that uses the old interfaces: System V's and BSD's.
 *
 * usage: victim_signal_old CASE
 *
 * SPDX-License-Identifier: MIT
 */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include <pthread.h>
#include <stdatomic.h>

#include "victim_signal.h"

static atomic_int count;
static atomic_bool over;
static int pipe_fds[2];

static void on_count(int sig)
{
	(void)sig;
	count++;
}

static void one_shot(void)
{
	loop_for(10 * NS_PER_MS);
	sysv_signal(SIGUSR1, on_count);
	say_action(SIGUSR1);
	loop_for(10 * NS_PER_MS);
	raise(SIGUSR1);
	printf("count %d\n", count);
	say_action(SIGUSR1);
	loop_for(10 * NS_PER_MS);
	raise(SIGUSR1);
}

/* While the main thread reads: a signal, and when it reads on, a byte. */
static void *disturb(void *reader)
{
	while (!sleeps(getpid()))
		;
	pthread_kill(*(pthread_t *)reader, SIGUSR1);
	while (!over && (!count || !sleeps(getpid())))
		;
	if (!over && write(pipe_fds[1], "x", 1) != 1)
		puts("cannot write");
	return NULL;
}

static void read_disturbed(const char *what)
{
	pthread_t self = pthread_self(), disturber;
	char byte;
	ssize_t got;

	count = 0;
	over = false;
	if (pipe(pipe_fds) || pthread_create(&disturber, NULL, disturb, &self))
		abort();
	got = read(pipe_fds[0], &byte, 1);
	printf("%s: read %zd %s\n", what, got, got < 0 ? strerror(errno) : "");
	over = true;
	pthread_join(disturber, NULL);
}

static void interrupts(void)
{
	loop_for(10 * NS_PER_MS);
	signal(SIGUSR1, on_count);
	read_disturbed("signal");
	siginterrupt(SIGUSR1, 1);
	read_disturbed("siginterrupt");
	signal(SIGUSR1, on_count);
	read_disturbed("signal after siginterrupt");
	siginterrupt(SIGUSR1, 0);
	read_disturbed("siginterrupt off");
	say_action(SIGUSR1);
}

static void system_v(void)
{
	loop_for(10 * NS_PER_MS);
	printf("%s\n", handler_name(sigset(SIGUSR1, on_count)));
	printf("%s\n", handler_name(sigset(SIGUSR1, SIG_HOLD)));
	raise(SIGUSR1);
	printf("held, count %d\n", count);
	printf("%s\n", handler_name(sigset(SIGUSR1, SIG_HOLD)));
	printf("%s\n", handler_name(sigset(SIGUSR1, on_count)));
	printf("count %d\n", count);
	printf("%d\n", sighold(SIGUSR1));
	printf("%d\n", sighold(32));
	raise(SIGUSR1);
	printf("held, count %d\n", count);
	printf("%d\n", sigpause(SIGUSR1));
	printf("count %d\n", count);
	printf("%d\n", sigrelse(SIGUSR1));
	printf("%d\n", sigignore(SIGUSR1));
	raise(SIGUSR1);
	say_action(SIGUSR1);
	printf("%s\n", handler_name(sigset(65, on_count)));
}

static void bsd(void)
{
	int bit = 1 << (SIGUSR1 - 1), had;

	loop_for(10 * NS_PER_MS);
	signal(SIGUSR1, on_count);
	had = sigblock(bit);
	printf("had %x, then %x\n", had, sigblock(0));
	loop_for(10 * NS_PER_MS);
	raise(SIGUSR1);
	printf("held, count %d\n", count);
	had = sigsetmask(0);
	printf("had %x, count %d\n", had, count);
	had = sigsetmask(-1);
	printf("had %x\n", had);
	loop_for(10 * NS_PER_MS);
	printf("then %x\n", sigsetmask(0));
}

static const struct signal_case cases[] = {
	{ "one_shot", one_shot }, { "interrupts", interrupts },
	{ "system_v", system_v }, { "bsd", bsd },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_case(cases, argc, argv);
}
