/*
 * A signal's frame that is moved from the alternate stack to the interrupted
 * one.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <signal.h>
#include <ucontext.h>

#include "coroutine_fixture.h"
#include "machine_fixture.h"
#include "sigsafe/os/machine.h"

#define SIGNALS 1000

static char alternate[65536] __attribute__((aligned(16)));

/* What the handler behind the move was told, and where it was. */
static struct {
	int sig;
	int value;
	uintptr_t here, interrupted_at;
	unsigned times, refused;
} seen;

static ucontext_t outside, inside;
static bool leaves;
static uintptr_t top, floor_address; /* top 0: below what is interrupted */

static void moved(int sig, siginfo_t *info, void *context)
{
	seen.sig = sig;
	seen.value = info->si_value.sival_int;
	seen.here = (uintptr_t)__builtin_frame_address(0);
	seen.interrupted_at = context_sp(context);
	seen.times++;
	/* What it leaves in the context is taken from there. */
	sigaddset(&((ucontext_t *)context)->uc_sigmask, SIGUSR2);
	if (leaves)
		swapcontext(&inside, &outside);
}

static void entered(int sig, siginfo_t *info, void *context)
{
	cr_assert_lt((uintptr_t)info - (uintptr_t)alternate, sizeof(alternate));
	const struct frame_move move = {
		.top = top ? top : context_frame_top(context),
		.floor = floor_address,
	};
	void *there = machine_move_signal_frame(context, &move);

	if (there)
		machine_enter_handler(sig, there, __builtin_return_address(0),
				      moved);
	seen.refused++;
}

static void start(void)
{
	const stack_t stack = { .ss_sp = alternate,
				.ss_size = sizeof(alternate) };
	struct sigaction act = { .sa_sigaction = entered,
				 .sa_flags = SA_SIGINFO | SA_ONSTACK };

	cr_assert_eq(sigaltstack(&stack, NULL), 0);
	cr_assert_eq(sigaction(SIGUSR1, &act, NULL), 0);
}

static void send(int value)
{
	cr_assert_eq(sigqueue(getpid(), SIGUSR1,
			      (union sigval){ .sival_int = value }),
		     0);
}

static bool is_blocked(int sig)
{
	sigset_t now;

	sigprocmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, sig);
}

TestSuite(signal_frame, .init = start, .disabled = IS_SANITIZED, .timeout = 60);

Test(signal_frame, the_handler_is_right_below_what_it_interrupted)
{
	send(7);
	cr_assert_eq(seen.sig, SIGUSR1);
	cr_assert_eq(seen.value, 7);
	cr_assert_lt(seen.interrupted_at - seen.here, 32768);
	cr_assert_geq(seen.here - (uintptr_t)alternate, sizeof(alternate));
}

Test(signal_frame, its_return_is_that_of_a_handler)
{
	double sum = 0.5;

	for (int i = 0; i < SIGNALS; i++) {
		cr_assert(!is_blocked(SIGUSR1));
		send(i);
		sum += i;
		cr_assert_eq(seen.value, i);
	}
	cr_assert_eq(seen.times, SIGNALS);
	cr_assert_eq(sum, 0.5 + SIGNALS * (SIGNALS - 1) / 2);
	cr_assert(is_blocked(SIGUSR2));
}

static void interrupted(void)
{
	send(1);
	cr_assert_eq(seen.times, SIGNALS);
	swapcontext(&inside, &outside);
}

/* Meanwhile others are entered on the alternate stack. */
Test(signal_frame, a_handler_may_be_left_and_come_back_to)
{
	static char stack[65536] __attribute__((aligned(16)));

	fixture_make_coroutine(&inside, stack, sizeof(stack), interrupted,
			       NULL);
	leaves = true;
	swapcontext(&outside, &inside);
	leaves = false;
	cr_assert_lt(seen.here - (uintptr_t)stack, sizeof(stack));
	while (seen.times < SIGNALS)
		send(2);
	swapcontext(&outside, &inside);
}

/* It ends at the top that is asked for, or does not move at all. */
Test(signal_frame, it_moves_to_where_it_is_told_if_there_is_room)
{
	static char stack[65536] __attribute__((aligned(16)));

	top = (uintptr_t)stack + sizeof(stack);
	floor_address = (uintptr_t)stack;
	send(7);
	cr_assert_eq(seen.times, 1);
	cr_assert_lt(seen.here - (uintptr_t)stack, sizeof(stack));
	floor_address = top - 256;
	send(8);
	cr_assert_eq(seen.times, 1);
	cr_assert_eq(seen.refused, 1);
}
