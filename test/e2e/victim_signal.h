/*
 * What the victims that use signals share: a thread that gets ticks if there
 * are any, and dispositions and sets in words.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef E2E_VICTIM_SIGNAL_H
#define E2E_VICTIM_SIGNAL_H

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "victim.h"

struct signal_case {
	const char *name;
	void (*run)(void);
};

static inline void wait_for_nothing(int timeout_ms)
{
	errno = 0;
	if (poll(NULL, 0, timeout_ms) != 0 || errno)
		puts("a wait was broken");
}

/* The calling thread waits for events and computes for long in between. */
static inline void loop_for(uint64_t ns)
{
	uint64_t begun_ns = now_ns();

	do {
		wait_for_nothing(1);
		spin(3 * NS_PER_MS);
	} while (now_ns() - begun_ns < ns);
	/* The last run goes on in the caller. */
	wait_for_nothing(0);
}

static inline void say_set(const char *what, const sigset_t *set)
{
	printf("%s:", what);
	for (int sig = 1; sig < 65; sig++)
		if (sigismember(set, sig) == 1)
			printf(" %d", sig);
	puts("");
}

static inline void say_mask(const char *what)
{
	sigset_t mask;

	sigemptyset(&mask);
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	say_set(what, &mask);
}

static inline sigset_t set_of(int first, int second)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, first);
	sigaddset(&set, second);
	return set;
}

static inline void say_pending(void)
{
	sigset_t pending;

	sigemptyset(&pending);
	sigpending(&pending);
	say_set("pending", &pending);
}

static inline const char *handler_name(sighandler_t handler)
{
	return handler == SIG_DFL    ? "default"
	       : handler == SIG_IGN  ? "ignore"
	       : handler == SIG_ERR  ? "error"
	       : handler == SIG_HOLD ? "hold"
				     : "handler";
}

static inline void say_action(int sig)
{
	struct sigaction act;

	sigemptyset(&act.sa_mask);
	if (sigaction(sig, NULL, &act)) {
		printf("%d: none\n", sig);
		return;
	}
	printf("%d: %s flags %x ", sig, handler_name(act.sa_handler),
	       (unsigned int)act.sa_flags);
	say_set("mask", &act.sa_mask);
}

static inline void set_action(int sig, sighandler_t handler, int flags,
			      int masked)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = flags };

	if (masked)
		sigaddset(&act.sa_mask, masked);
	if (sigaction(sig, &act, NULL))
		printf("cannot set %d\n", sig);
}

static inline int run_case(const struct signal_case *cases, int argc,
			   char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (; cases->name; cases++) {
		if (argc > 1 && strcmp(cases->name, argv[1]) == 0) {
			cases->run();
			return 0;
		}
		if (argc == 1)
			puts(cases->name);
	}
	return argc > 1 ? 2 : 0;
}

#endif
