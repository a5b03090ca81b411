/*
 * Masks that are given to calls: to a wait for events for as long as it lasts,
 * and to a program that is started beside this one; while ticks come.
 *
 * usage: victim_signal_given_masks CASE; without one it names its cases
 *
 * SPDX-License-Identifier: MIT
 */
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/wait.h>

#include "victim_signal.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define WAIT_NS	     (3 * NS_PER_MS)

/* The ticks' first signal, one of the program's own, the ticks' later ones. */
static const int sent[] = { SIGUSR1, SIGUSR2, 62, 61 };

static size_t senders = COUNT(sent); /* so many of them are handled, and sent */
static volatile int handled[65];

static void count(int sig)
{
	handled[sig]++;
}

static sigset_t filled_but(int sig)
{
	sigset_t set;

	sigfillset(&set);
	if (sig)
		sigdelset(&set, sig);
	return set;
}

static sigset_t only(int sig)
{
	sigset_t set;

	sigemptyset(&set);
	if (sig)
		sigaddset(&set, sig);
	return set;
}

/* None, each of them, all, and all but each of them. */
#define SETS (2 * COUNT(sent) + 2)

static sigset_t set_number(size_t i)
{
	const size_t n = COUNT(sent);

	return i == 0	    ? only(0)
	       : i <= n	    ? only(sent[i - 1])
	       : i == n + 1 ? filled_but(0)
			    : filled_but(sent[i - n - 2]);
}

static int epoll;

typedef int wait_call(const sigset_t *mask);

static const struct timespec span = { .tv_nsec = WAIT_NS };

static int by_ppoll(const sigset_t *mask)
{
	return ppoll(NULL, 0, &span, mask);
}

static int by_pselect(const sigset_t *mask)
{
	return pselect(0, NULL, NULL, NULL, &span, mask);
}

static int by_epoll_pwait(const sigset_t *mask)
{
	struct epoll_event event;

	return epoll_pwait(epoll, &event, 1, WAIT_NS / NS_PER_MS, mask);
}

static int by_epoll_pwait2(const sigset_t *mask)
{
	struct epoll_event event;

	return epoll_pwait2(epoll, &event, 1, &span, mask);
}

static wait_call *const calls[] = { by_ppoll, by_pselect, by_epoll_pwait,
				    by_epoll_pwait2 };

static void say_handled(void)
{
	for (size_t i = 0; i < COUNT(sent); i++) {
		printf(" %d", handled[sent[i]]);
		handled[sent[i]] = 0;
	}
	puts(" handled");
}

/* What the mask lets in is handled, and ends the wait; the rest is pending. */
static void wait_with(wait_call *call, const sigset_t *mask)
{
	const sigset_t all = filled_but(0), none = only(0);
	int result;

	sigprocmask(SIG_SETMASK, &all, NULL);
	for (size_t i = 0; i < senders; i++)
		raise(sent[i]);
	errno = 0;
	result = call(mask);
	printf("%d %d", result, errno);
	say_handled();
	say_pending();
	say_mask("mask");
	sigprocmask(SIG_SETMASK, &none, NULL);
	say_handled();
	/* Nothing is pending now. */
	errno = 0;
	result = call(mask);
	printf("%d %d\n", result, errno);
}

static void waits(void)
{
	epoll = epoll_create1(EPOLL_CLOEXEC);
	for (size_t i = 0; i < senders; i++)
		set_action(sent[i], count, 0, 0);
	loop_for(10 * NS_PER_MS);
	for (size_t i = 0; i < COUNT(calls) * SETS; i++) {
		const sigset_t mask = set_number(i % SETS);

		printf("call %zu set %zu\n", i / SETS, i % SETS);
		wait_with(calls[i / SETS], &mask);
		loop_for(NS_PER_MS);
	}
}

/* The real-time ones are of no use to the program, but in its masks. */
static void waits_of_old(void)
{
	senders = 2;
	waits();
}

/* What the kernel has given it, in the words of the kernel. */
static void start(short flags, const sigset_t *mask, const sigset_t *defaults)
{
	char *const argv[] = { "grep", "-E", "^Sig(Blk|Ign|Cgt)",
			       "/proc/self/status", NULL };
	char *const no_environment[] = { NULL };
	posix_spawnattr_t attributes;
	sigset_t told;
	int err, status = 0;
	pid_t child;

	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, flags);
	posix_spawnattr_setsigmask(&attributes, mask);
	posix_spawnattr_setsigdefault(&attributes, defaults);
	posix_spawnattr_getsigmask(&attributes, &told);
	say_set("mask", &told);
	posix_spawnattr_getsigdefault(&attributes, &told);
	say_set("default", &told);
	err = posix_spawnp(&child, argv[0], NULL, &attributes, argv,
			   no_environment);
	if (!err)
		waitpid(child, &status, 0);
	printf("%d, status %d\n", err, status);
	posix_spawnattr_destroy(&attributes);
}

static void start_with_every_set(void)
{
	const short flags[] = { 0, POSIX_SPAWN_SETSIGMASK,
				POSIX_SPAWN_SETSIGDEF,
				POSIX_SPAWN_SETSIGMASK |
					POSIX_SPAWN_SETSIGDEF };

	for (size_t i = 0; i < COUNT(flags) * SETS; i++) {
		const sigset_t set = set_number(i % SETS);

		printf("flags %d set %zu\n", flags[i / SETS], i % SETS);
		start(flags[i / SETS], &set, &set);
	}
}

static void starts(void)
{
	const sigset_t all = filled_but(0);

	loop_for(10 * NS_PER_MS);
	signal(SIGUSR2, SIG_IGN);
	signal(61, SIG_IGN);
	start_with_every_set();
	loop_for(10 * NS_PER_MS);
	sigprocmask(SIG_SETMASK, &all, NULL);
	start_with_every_set();
	loop_for(10 * NS_PER_MS);
	say_mask("behind");
}

static const struct signal_case cases[] = {
	{ "waits", waits },
	{ "waits_of_old", waits_of_old },
	{ "starts", starts },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_case(cases, argc, argv);
}
