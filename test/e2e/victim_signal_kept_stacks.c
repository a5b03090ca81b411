/*
 * What is left of an alternate stack that a handler sets, by sigaltstack(2) or
 * in its context: whatever there was before, and wherever the handler runs.
 *
 * usage: victim_signal_kept_stacks CASE; without one it names its cases
 *
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <sys/wait.h>

#include "victim_alternate.h"

static char others[65536];

#define ONE_OF(at, flags, bytes)                                               \
	{                                                                      \
		.ss_sp = (at), .ss_flags = (int)(flags), .ss_size = (bytes)    \
	}

static const stack_t never;
static const stack_t other = ONE_OF(others, 0, sizeof(others));

/* What there is before. The first: what the thread was born with. */
static const stack_t before[] = {
	{ .ss_size = 0 },
	ONE_OF(NULL, SS_DISABLE, 0),
	ONE_OF(NULL, SS_DISABLE | AUTODISARM, 0),
	ONE_OF(memory, 0, sizeof(memory)),
	ONE_OF(memory, SS_ONSTACK, sizeof(memory)),
	ONE_OF(memory, AUTODISARM, sizeof(memory)),
};

/* What the handler writes into its context; the first ones are asked for. */
static const stack_t shown[] = {
	ONE_OF(others, 0, sizeof(others)),
	ONE_OF(NULL, SS_DISABLE, 0),
	ONE_OF(others, 0, sizeof(others)),
	ONE_OF(others, 77, sizeof(others)),
	ONE_OF(others, 0, 1000),
	ONE_OF(others, 0, 2048),
	ONE_OF(others, SS_ONSTACK, sizeof(others)),
	ONE_OF(others, AUTODISARM, sizeof(others)),
	ONE_OF(NULL, SS_DISABLE, 0),
	ONE_OF(NULL, 0, 0),
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define ASKED	     2u

static size_t way;

static void say(const char *what, const stack_t *stack)
{
	printf("  %s: %s flags %x size %zu\n", what,
	       stack->ss_sp == memory	? "mine"
	       : stack->ss_sp == others ? "other"
	       : stack->ss_sp		? "another"
					: "null",
	       (unsigned int)stack->ss_flags, stack->ss_size);
}

static void ask(const char *what)
{
	stack_t now;

	sigaltstack(NULL, &now);
	say(what, &now);
}

static void set(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	say("context", &uc->uc_stack);
	if (way < ASKED)
		printf("  is set: %d\n", sigaltstack(&shown[way], NULL));
	else if (way < COUNT(shown))
		uc->uc_stack = shown[way];
	ask("in it");
}

static void raise_twice(const stack_t *had)
{
	if (had != before)
		printf("  has: %d\n", sigaltstack(had, NULL));
	printf("  never: %d\n", sigaltstack(&never, NULL));
	raise(SIGUSR2);
	ask("behind");
	loop_for(NS_PER_MS);
	ask("later");
	way = COUNT(shown);
	raise(SIGUSR2);
	/* Of those that a handler sets one may be too short for another. */
	sigaltstack(&other, NULL);
}

static void every_way(int flags)
{
	handle(SIGUSR2, set, flags);
	for (size_t i = 0; i < COUNT(before) * COUNT(shown); i++) {
		way = i % COUNT(shown);
		printf("%x %zu %zu\n", (unsigned int)flags, i / COUNT(shown),
		       way);
		if (!fork()) {
			raise_twice(&before[i / COUNT(shown)]);
			_exit(0);
		}
		wait(NULL);
	}
}

static void both_ways(void)
{
	every_way(0);
	every_way(SA_ONSTACK);
}

static void *loop_and_set(void *unused)
{
	loop_for(10 * NS_PER_MS);
	both_ways();
	return unused;
}

static void in_main(void)
{
	loop_and_set(NULL);
}

static void in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, loop_and_set, NULL);
	pthread_join(thread, NULL);
}

/* It was given before there were ticks. */
static void given_before(void)
{
	const stack_t on = ONE_OF(memory, SS_ONSTACK, sizeof(memory));

	sigaltstack(&on, NULL);
	in_main();
}

/* Ours comes while a handler is at work. */
static void loop_in_handler(int sig, siginfo_t *info, void *context)
{
	loop_for(10 * NS_PER_MS);
	set(sig, info, context);
}

static void given_in_handler(void)
{
	for (way = 0; way < COUNT(shown); way++) {
		printf("%zu\n", way);
		if (!fork()) {
			handle(SIGUSR2, loop_in_handler, SA_ONSTACK);
			raise(SIGUSR2);
			ask("behind");
			_exit(0);
		}
		wait(NULL);
	}
}

static const struct signal_case cases[] = {
	{ "in_main", in_main },
	{ "in_thread", in_thread },
	{ "given_before", given_before },
	{ "given_in_handler", given_in_handler },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_case(cases, argc, argv);
}
