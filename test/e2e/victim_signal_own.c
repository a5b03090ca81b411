/*
 * A host with a sigaction() of its own, which comes before any other, and goes
 * on by libc's second name for it: as Erlang's, which adds a flag.
 *
 * usage: victim_signal_own handler
 *
 * SPDX-License-Identifier: MIT
 */
#include <dlfcn.h>
#include <string.h>

#include "victim_signal.h"

int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	int (*next)(int, const struct sigaction *, struct sigaction *);
	void *found = dlsym(RTLD_NEXT, "__sigaction");
	struct sigaction new;

	memcpy(&next, &found, sizeof(next));
	if (act) {
		new = *act;
		new.sa_flags |= SA_ONSTACK;
	}
	return next(sig, act ? &new : NULL, old);
}

static volatile sig_atomic_t count;

static void on_count(int sig)
{
	(void)sig;
	count++;
}

static void handler(void)
{
	const struct sigaction act = { .sa_handler = on_count };

	sigaction(SIGUSR1, &act, NULL);
	loop_for(30 * NS_PER_MS);
	printf("count %d\n", count);
	raise(SIGUSR1);
	printf("count %d\n", count);
	say_action(SIGUSR1);
}

static const struct signal_case cases[] = {
	{ "handler", handler },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_case(cases, argc, argv);
}
