/*
 * Spare stacks.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "coroutine_fixture.h"
#include "sigsafe/signals/fault_mask.h"
#include "sigsafe/stacks/alternate_stack.h"
#include "sigsafe/stacks/spare_stack.h"
#include "stack_fixture.h"

#define LEVELS 16

/* So much that on a spare stack the next work has no room. */
#define MUCH_BYTES (9u << 10)

/* Work within work, each on a stack of its own as long as there are some. */
struct nest {
	unsigned levels; /* still to come */
	unsigned done;
	bool is_modest; /* leaves room for the next */
	uintptr_t here[LEVELS];
	int status;
};

static void go_deeper(void *argument)
{
	struct nest *nest = argument;
	volatile char *used =
		__builtin_alloca(nest->is_modest ? 16 : MUCH_BYTES);

	used[0] = 1;
	nest->here[nest->done++] = (uintptr_t)used;
	if (nest->levels-- && !spare_stack_call(go_deeper, nest))
		nest->status = 1;
}

static uintptr_t distance(uintptr_t a, uintptr_t b)
{
	return a < b ? b - a : a - b;
}

static bool is_near(uintptr_t a, uintptr_t b)
{
	return distance(a, b) < 4096;
}

static struct nest run(unsigned levels)
{
	struct nest nest = { .levels = levels };

	cr_assert(spare_stack_call(go_deeper, &nest));
	return nest;
}

Test(spare_stack, work_is_done_on_another_stack)
{
	char here;
	struct nest nest;

	spare_stack_start();
	nest = run(0);
	cr_assert_gt(distance(nest.here[0], (uintptr_t)&here), 64 << 10);
	cr_assert(is_near(run(0).here[0], nest.here[0]));
}

Test(spare_stack, before_the_start_work_is_done_on_this_one)
{
	char here;

	cr_assert_lt(distance(run(0).here[0], (uintptr_t)&here), 64 << 10);
}

Test(spare_stack, where_all_are_in_use_work_is_left_out)
{
	struct nest nest;

	spare_stack_start();
	nest = run(10);
	cr_assert_eq(nest.done, 8);
	cr_assert_eq(nest.status, 1);
	/* Each has a stack of its own. */
	for (unsigned i = 0; i < nest.done; i++) {
		for (unsigned j = 0; j < i; j++)
			cr_assert_gt(distance(nest.here[i], nest.here[j]),
				     MUCH_BYTES);
	}
	/* And gives it back. */
	cr_assert_eq(run(7).done, 8);
}

Test(spare_stack, work_within_work_shares_its_stack_while_there_is_room)
{
	struct nest nest = { .levels = 10, .is_modest = true };

	spare_stack_start();
	cr_assert(spare_stack_call(go_deeper, &nest));
	cr_assert_eq(nest.done, 11);
	cr_assert_lt(distance(nest.here[0], nest.here[10]), 8 << 10);
}

static sigset_t mask_now(void)
{
	sigset_t mask;

	sigemptyset(&mask);
	cr_assert_eq(pthread_sigmask(SIG_SETMASK, NULL, &mask), 0);
	return mask;
}

/* What a hook's work has found, and where. */
struct look {
	uintptr_t here;
	bool is_quiet;
	bool is_open;	 /* to faults */
	unsigned levels; /* still to come */
};

static void look(void *argument)
{
	struct look *found = argument;
	sigset_t mask = mask_now();

	if (found->levels--) {
		spare_stack_call_by_hook(NULL, look, found);
		return;
	}
	found->here = (uintptr_t)&mask;
	found->is_quiet = sigismember(&mask, SIGTERM);
	found->is_open = !sigismember(&mask, SIGBUS);
}

static struct look looked;
static uintptr_t called_at;
static char coroutine_stack[8192] __attribute__((aligned(16)));

static __attribute__((noinline)) void hook(void)
{
	struct registers registers;
	const struct own_place place = FIXTURE_PLACE(&registers);
	sigset_t after;

	registers_here(&registers);
	called_at = (uintptr_t)&after;
	spare_stack_call_by_hook(&place, look, &looked);
	after = mask_now();
	cr_assert(!sigismember(&after, SIGTERM));
}

static void hook_in_coroutine(unsigned levels)
{
	ucontext_t home;

	looked.levels = levels;
	fixture_run_coroutine(coroutine_stack, sizeof(coroutine_stack), hook,
			      &home);
}

/* On the thread's own, where it is shown to be that the first time. */
static bool hook_is_near(void)
{
	looked.levels = 0;
	hook();
	return is_near(looked.here, called_at);
}

static struct look hook_again(unsigned i)
{
	cr_assert_eq(hook_is_near(), i > 0);
	return looked;
}

Test(spare_stack, a_hook_with_room_on_the_threads_own_uses_that)
{
	fixture_start_unwinder();
	for (unsigned i = 0; i < 3; i++)
		cr_assert_eq(hook_again(i).is_quiet, i == 0);
}

static void *hook_thrice(void *none)
{
	for (unsigned i = 0; i < 3; i++)
		cr_assert(!hook_is_near());
	return none;
}

Test(spare_stack, in_the_lowest_part_of_the_threads_own_it_is_not_used)
{
	pthread_attr_t small;
	pthread_t thread;

	fixture_start_unwinder();
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 128 << 10);
	cr_assert_eq(pthread_create(&thread, &small, hook_thrice, NULL), 0);
	pthread_join(thread, NULL);
}

Test(spare_stack, a_hook_opens_faults_wherever_they_may_be_blocked)
{
	sigset_t fault;

	fixture_start_unwinder();
	sigemptyset(&fault);
	sigaddset(&fault, SIGBUS);
	cr_assert_eq(pthread_sigmask(SIG_BLOCK, &fault, NULL), 0);
	for (unsigned i = 0; i < 3; i++) {
		struct look found = hook_again(i);

		cr_assert(found.is_quiet && found.is_open);
		fault = mask_now();
		cr_assert(sigismember(&fault, SIGBUS));
	}
}

Test(spare_stack, of_a_thread_that_has_blocked_faults_nothing_is_known)
{
	fixture_start_unwinder();
	fault_mask_note(SIGNAL_BIT(SIGSEGV));
	for (unsigned i = 0; i < 3; i++)
		cr_assert(hook_again(i).is_quiet);
}

Test(spare_stack, nor_is_anything_learnt_in_a_handler)
{
	fixture_start_unwinder();
	thread_self.handler_depth = 1;
	for (unsigned i = 0; i < 3; i++)
		cr_assert(hook_again(i).is_quiet);
}

Test(spare_stack, a_hook_in_a_coroutine_works_elsewhere_and_quietly)
{
	spare_stack_start();
	for (unsigned levels = 0; levels < 3; levels++) {
		hook_in_coroutine(levels);
		cr_assert(!is_near(looked.here, called_at));
		cr_assert(looked.is_quiet);
	}
}

Test(spare_stack, a_hook_in_a_coroutine_uses_the_threads_alternate_one)
{
	alternate_stack_start(0);
	spare_stack_start();
	alternate_stack_provide(&thread_self);
	/* Work of a hook within another's does not begin at its top again. */
	for (unsigned levels = 0; levels < 3; levels++) {
		hook_in_coroutine(levels);
		cr_assert(alternate_stack_holds(&thread_self, looked.here));
		cr_assert(looked.is_quiet);
	}
	alternate_stack_remove(&thread_self);
}

/* With all in use, forks: the child, which never returns, has them all free. */
static void fork_at_the_bottom(void *argument)
{
	struct nest *nest = argument;
	volatile char *used = __builtin_alloca(MUCH_BYTES);
	pid_t child;

	used[0] = 1;
	if (--nest->levels) {
		cr_assert(spare_stack_call(fork_at_the_bottom, nest));
		return;
	}
	cr_assert(!spare_stack_call(go_deeper, nest));
	child = fork();
	if (child == 0) {
		spare_stack_reset();
		_exit(spare_stack_call(go_deeper, nest) ? 0 : 1);
	}
	cr_assert_eq(waitpid(child, &nest->status, 0), child);
}

Test(spare_stack, after_a_reset_all_are_free)
{
	struct nest nest = { .levels = 8 };

	spare_stack_start();
	spare_stack_call(fork_at_the_bottom, &nest);
	cr_assert_eq(nest.status, 0);
}
