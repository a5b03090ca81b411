/*
 * Alternate stacks of the program's own: short ones, one that is no longer
 * mapped, and handlers on them.
 *
 * usage: victim_signal_own_stacks CASE; without one it names its cases
 *
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "victim_alternate.h"

/* The upper half is a stack; the lower one must stay as it is. */
static char *guarded;

static stack_t short_one(size_t bytes)
{
	guarded = mmap(NULL, 2 * sizeof(memory), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (guarded == MAP_FAILED)
		abort();
	memset(guarded, 0x5a, sizeof(memory));
	return (stack_t){ .ss_sp = guarded + sizeof(memory), .ss_size = bytes };
}

static size_t written_below(void)
{
	size_t at = 0;

	while (at < sizeof(memory) && guarded[at] == 0x5a)
		at++;
	return sizeof(memory) - at;
}

static void say_end_of_child(void (*child)(void))
{
	int status = 0;

	if (!fork()) {
		child();
		_exit(0);
	}
	wait(&status);
	printf("ends with %x\n", (unsigned int)status & 0x7f);
}

static void be_terminated(void)
{
	raise(SIGTERM);
}

static void loop_and_be_terminated(void)
{
	loop_for(10 * NS_PER_MS);
	raise(SIGTERM);
}

/* No signal of its own is handled there, so natively nothing is. */
static void short_stacks(void)
{
	static const size_t bytes[] = { 2048, 3000, 3392, 3840, 4096, 8192 };

	for (size_t i = 0; i < sizeof(bytes) / sizeof(*bytes); i++) {
		stack_t stack = short_one(bytes[i]);

		printf("%zu: %d\n", bytes[i], sigaltstack(&stack, NULL));
		say_end_of_child(be_terminated);
		loop_for(15 * NS_PER_MS);
		say_end_of_child(loop_and_be_terminated);
		printf("written below: %zu\n", written_below());
	}
}

static void on_short_one(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;
	char here;

	(void)sig;
	(void)info;
	spin(3 * NS_PER_MS);
	printf("within it: %d, context has %zu\n",
	       (uintptr_t)&here - (uintptr_t)uc->uc_stack.ss_sp < 8192,
	       uc->uc_stack.ss_size);
}

/* While a tick comes in it, and a wait. */
static void on_short_stack(void)
{
	stack_t stack = short_one(8192);

	loop_for(10 * NS_PER_MS);
	sigaltstack(&stack, NULL);
	handle(SIGUSR2, on_short_one, SA_ONSTACK);
	for (int i = 0; i < 5; i++) {
		raise(SIGUSR2);
		wait_for_nothing(1);
	}
	printf("written below: %zu\n", written_below());
}

static void raise_and_say(int sig, siginfo_t *info, void *context)
{
	on_signal(sig, info, context);
	if (sig == SIGUSR2)
		raise(SIGUSR1);
	change("in it, at last", NULL);
}

/* One in another, on a stack that is in use or was given up on entry. */
static void nested(void)
{
	const stack_t once = { .ss_sp = memory,
			       .ss_flags = (int)AUTODISARM,
			       .ss_size = sizeof(memory) };

	handle(SIGUSR1, raise_and_say, SA_ONSTACK);
	handle(SIGUSR2, raise_and_say, SA_ONSTACK);
	loop_for(10 * NS_PER_MS);
	change("mine", &mine);
	raise(SIGUSR2);
	change("once", &once);
	raise(SIGUSR2);
	change("behind", NULL);
	handle(SIGUSR2, raise_and_say, 0);
	raise(SIGUSR2);
	change("behind", NULL);
}

static void nest_deeper(int sig)
{
	raise(sig);
}

static void overflow_alternate(void)
{
	stack_t stack = short_one(sizeof(memory) / 2);

	mprotect(guarded, sizeof(memory), PROT_NONE);
	sigaltstack(&stack, NULL);
	loop_for(10 * NS_PER_MS);
	set_action(SIGUSR2, nest_deeper, SA_ONSTACK | SA_NODEFER, 0);
	raise(SIGUSR2);
}

static void raise_where_it_is_unmapped(void)
{
	loop_for(10 * NS_PER_MS);
	handle(SIGUSR2, on_signal, SA_ONSTACK);
	handle(SIGSEGV, on_signal, SA_ONSTACK | SA_NODEFER);
	raise(SIGUSR2);
}

/* It matters to nobody but the program's own handlers. */
static void unmapped(void)
{
	stack_t stack = short_one(sizeof(memory));

	loop_for(10 * NS_PER_MS);
	sigaltstack(&stack, NULL);
	/* As if unmapped; but nobody else's memory comes there. */
	mprotect(guarded, 2 * sizeof(memory), PROT_NONE);
	loop_for(15 * NS_PER_MS);
	say_end_of_child(loop_and_be_terminated);
	say_end_of_child(overflow_alternate);
	say_end_of_child(raise_where_it_is_unmapped);
	change("asked", &none);
	loop_for(10 * NS_PER_MS);
}

static sigjmp_buf landing;

static void land(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;

	printf("signal %d code %x, interrupted by a call: %d\n", sig,
	       (unsigned int)info->si_code,
	       uc->uc_mcontext.gregs[REG_RCX] ==
		       uc->uc_mcontext.gregs[REG_RIP]);
	siglongjmp(landing, 1);
}

/* The program handles the fault of its stack, on another. */
static void refuse_and_land(stack_t stack)
{
	sigaltstack(&stack, NULL);
	handle(SIGSEGV, land, 0);
	handle(SIGUSR2, on_signal, SA_ONSTACK);
	for (int i = 0; i < 5; i++) {
		loop_for(5 * NS_PER_MS);
		if (!sigsetjmp(landing, 1))
			raise(SIGUSR2);
	}
}

static void raise_where_a_fault_is_blocked(void)
{
	sigset_t fault;

	sigemptyset(&fault);
	sigaddset(&fault, SIGSEGV);
	sigprocmask(SIG_BLOCK, &fault, NULL);
	refuse_and_land(short_one(2048));
}

static void refused(void)
{
	stack_t unreadable = short_one(sizeof(memory));

	refuse_and_land(short_one(2048));
	mprotect(unreadable.ss_sp, sizeof(memory), PROT_NONE);
	refuse_and_land(unreadable);
	say_end_of_child(raise_where_a_fault_is_blocked);
}

static const struct signal_case cases[] = {
	{ "short_stacks", short_stacks },
	{ "on_short_stack", on_short_stack },
	{ "nested", nested },
	{ "unmapped", unmapped },
	{ "refused", refused },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_case(cases, argc, argv);
}
