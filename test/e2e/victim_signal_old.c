/*
 * A host that uses the old interfaces, System V's and BSD's, and system calls
 * by number.
 *
 * usage: victim_signal_old CASE
 *
 * SPDX-License-Identifier: MIT
 */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>

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

/* As rt_sigaction(2) takes it. */
struct kernel_action {
	sighandler_t handler;
	uint64_t flags;
	void *restorer;
	uint64_t mask;
};

static void raw_action(int sig, const struct kernel_action *new, size_t bytes)
{
	struct kernel_action old = { .flags = 99 };

	errno = 0;
	printf("%d: %ld ", sig,
	       syscall(SYS_rt_sigaction, sig, new, &old, bytes));
	printf("%s %s flags %llx restorer %d mask %llx\n", strerror(errno),
	       handler_name(old.handler), (unsigned long long)old.flags,
	       !!old.restorer, (unsigned long long)old.mask);
}

static void raw_mask(int how, const uint64_t *set, size_t bytes)
{
	uint64_t old = 99;
	long result;

	errno = 0;
	result = syscall(SYS_rt_sigprocmask, how, set, &old, bytes);
	printf("mask %ld %s %llx\n", result, strerror(errno),
	       (unsigned long long)old);
}

static void raw_pending(size_t bytes)
{
	uint64_t set = 99;

	printf("pending %ld", syscall(SYS_rt_sigpending, &set, bytes));
	printf(" %llx\n", (unsigned long long)set);
}

static void raw_nowhere(void)
{
	const struct kernel_action *nowhere = (void *)8;
	long result = syscall(SYS_rt_sigaction, SIGUSR1, NULL, nowhere, 8);

	printf("%ld %s\n", result, strerror(errno));
	result = syscall(SYS_rt_sigprocmask, SIG_BLOCK, nowhere, NULL, 8);
	printf("%ld %s\n", result, strerror(errno));
	result = syscall(SYS_rt_sigpending, nowhere, 8);
	printf("%ld %s\n", result, strerror(errno));
	raw_action(SIGUSR1, nowhere, 8);
}

static void by_number(void)
{
	const uint64_t all = ~0ULL, none = 0, usr1 = 1ULL << (SIGUSR1 - 1);
	struct kernel_action mine = { .handler = SIG_IGN, .mask = usr1 };
	static const int sigs[] = { SIGUSR1, SIGTERM, 62, 32, SIGKILL, 65 };

	for (size_t i = 0; i < sizeof(sigs) / sizeof(*sigs); i++) {
		raw_action(sigs[i], NULL, 8);
		loop_for(5 * NS_PER_MS);
		raw_action(sigs[i], &mine, 8);
		loop_for(5 * NS_PER_MS);
		raw_action(sigs[i], NULL, 4);
		raw_action(sigs[i], NULL, 8);
	}
	signal(SIGUSR1, on_count);
	raw_action(SIGUSR1, NULL, 8);
	raw_nowhere();
	raw_mask(SIG_SETMASK, &all, 8);
	loop_for(10 * NS_PER_MS);
	raw_mask(SIG_BLOCK, NULL, 8);
	raw_mask(SIG_UNBLOCK, &usr1, 4);
	raise(SIGUSR1);
	raw_pending(8);
	raw_pending(16);
	raw_mask(SIG_UNBLOCK, &usr1, 8);
	printf("count %d\n", count);
	raw_mask(99, &none, 8);
	raw_mask(SIG_SETMASK, &none, 8);
	raw_mask(SIG_BLOCK, NULL, 8);
}

static const struct signal_case cases[] = {
	{ "one_shot", one_shot },   { "interrupts", interrupts },
	{ "system_v", system_v },   { "bsd", bsd },
	{ "by_number", by_number }, { NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_case(cases, argc, argv);
}
