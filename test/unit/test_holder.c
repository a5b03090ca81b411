/*
 * Holders: what a guest in this memory held that was killed is free again.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomic.h"
#include "machine_fixture.h"
#include "recording_fixture.h"
#include "sigsafe/os/holder.h"
#include "sigsafe/stacks/spare_stack.h"
#include "sigsafe/walk/walker.h"
#include "stack_fixture.h"

TestSuite(holder, .init = fixture_start_unwinder, .timeout = 60,
	  .disabled = IS_SANITIZED);

static char guests_stack[64 << 10] __attribute__((aligned(16)));
static uint32_t is_there;

static void stay(void *none)
{
	(void)none;
	store_release(&is_there, 1);
	for (;;)
		pause();
}

/* A guest that does this until it is killed. */
static pid_t invite(int (*guest)(void *))
{
	pid_t pid;

	NOT_EMULATED("it makes no such child");
	pid = clone(guest, guests_stack + sizeof(guests_stack),
		    CLONE_VM | SIGCHLD, NULL);
	cr_assert_gt(pid, 0);
	while (!load_acquire(&is_there))
		sched_yield();
	return pid;
}

static void end(pid_t guest)
{
	cr_assert_eq(kill(guest, SIGKILL), 0);
	cr_assert_eq(waitpid(guest, NULL, 0), guest);
}

static int just_stay(void *none)
{
	stay(none);
	return 0;
}

Test(holder, a_guest_is_gone_once_it_was_killed_and_waited_for)
{
	pid_t guest = invite(just_stay);
	siginfo_t info;

	cr_assert(!holder_is_gone((uint32_t)guest));
	cr_assert_eq(kill(guest, SIGKILL), 0);
	cr_assert_eq(waitid(P_PID, (id_t)guest, &info, WEXITED | WNOWAIT), 0);
	cr_assert(!holder_is_gone((uint32_t)guest));
	cr_assert_eq(waitpid(guest, NULL, 0), guest);
	cr_assert(holder_is_gone((uint32_t)guest));
}

static uint32_t guests_id;

static int tell_id(void *none)
{
	(void)none;
	store_release(&guests_id, holder_self());
	return 0;
}

/* Its ids are others than ours: who is gone there is not known. */
Test(holder, a_guest_in_another_namespace_is_never_gone)
{
	pid_t guest;

	NOT_EMULATED("it makes no such child");
	guest = clone(tell_id, guests_stack + sizeof(guests_stack),
		      CLONE_VM | CLONE_NEWPID | SIGCHLD, NULL);
	if (guest < 0)
		cr_skip_test("no namespaces here: %s", strerror(errno));
	cr_assert_eq(waitpid(guest, NULL, 0), guest);
	cr_assert_neq(guests_id, 0);
	cr_assert(!holder_is_gone(guests_id));
}

/* More than leaves room on a spare stack for the next work. */
#define MUCH_BYTES (9u << 10)
#define STACKS	   8u

static uint32_t taken;

static void take_all(void *argument)
{
	volatile char *used = __builtin_alloca(MUCH_BYTES);

	used[0] = 1;
	if (++taken < STACKS)
		spare_stack_call(take_all, argument);
	else
		stay(argument);
}

static int hold_all_stacks(void *none)
{
	return spare_stack_call(take_all, none);
}

static void count(void *calls)
{
	volatile char *used = __builtin_alloca(MUCH_BYTES);

	used[0] = 1;
	if (++*(unsigned *)calls < STACKS)
		spare_stack_call(count, calls);
}

/* Not on the thread's own stack, where there is room. */
static char calling_stack[64 << 10] __attribute__((aligned(16)));

static void call_on_all(void *calls)
{
	spare_stack_call(count, calls);
}

Test(holder, the_spare_stacks_it_had_are_free_again)
{
	pid_t guest = invite(hold_all_stacks);
	unsigned calls = 0;

	machine_call_on(calling_stack + sizeof(calling_stack), call_on_all,
			&calls);
	cr_assert_eq(calls, 0);
	end(guest);
	machine_call_on(calling_stack + sizeof(calling_stack), call_on_all,
			&calls);
	cr_assert_eq(calls, STACKS);
	cr_assert_eq(fixture_lost(LOST_WALK_BUSY), STACKS);
}

static int hold_the_walker(void *none)
{
	enum lost_reason why;

	return walker_run(stay, none, false, &why);
}

static void do_nothing(void *none)
{
	(void)none;
}

static bool walks(enum lost_reason *why)
{
	return walker_run(do_nothing, NULL, false, why);
}

/* What it was at is noted of the thread whose memory it has. */
Test(holder, its_walk_is_over)
{
	enum lost_reason why = LOST_COUNT;
	pid_t guest = invite(hold_the_walker);

	cr_assert(!walks(&why));
	cr_assert_eq(why, LOST_WALK_BUSY);
	cr_assert_eq(fixture_lost(LOST_WALK_BUSY), 0);
	end(guest);
	cr_assert(!walks(&why));
	cr_assert_eq(fixture_lost(LOST_WALK_BUSY), 1);
	cr_assert(walks(&why));
}

Test(holder, a_fork_finds_that_its_walk_is_over)
{
	enum lost_reason why;
	pid_t guest = invite(hold_the_walker);

	end(guest);
	walker_before_fork();
	walker_after_fork_in_parent();
	cr_assert_eq(fixture_lost(LOST_WALK_BUSY), 1);
	cr_assert(walks(&why));
}
