/*
 * The walker: what becomes of a walk that can't be made now.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomic.h"
#include "machine_fixture.h"
#include "recording_fixture.h"
#include "sigsafe/live.h"
#include "sigsafe/thread.h"
#include "sigsafe/walk/stack.h"
#include "sigsafe/walk/walker.h"
#include "stack_fixture.h"

TestSuite(walker, .init = fixture_start_unwinder, .timeout = 60);

/* Written by capture(). */
const void *return_address __attribute__((visibility("hidden")));

/* A frame whose caller libunwind alone finds. */
uint32_t capture(void);
CALLER_BY_EXPRESSION("capture", "return_address");

/* The caller's frame in capture() is the first; this tells no more of it. */
static void assert_first_frame_alone(uint32_t place, enum lost_reason reason)
{
	const struct stack_record *stack = fixture_stack(place);

	cr_assert_eq(stack->depth, 1);
	cr_assert_neq(FRAME_MODULE(stack->frame[0]), 0);
	cr_assert_eq(fixture_lost(reason), 1);
}

static void assert_whole(uint32_t place)
{
	const struct stack_record *stack = fixture_stack(place);

	cr_assert_eq(fixture_find(stack, fixture_frame(return_address)), 1);
}

static void capture_inside(void *place)
{
	*(uint32_t *)place = capture();
}

Test(walker, a_walk_inside_of_a_walk_is_its_first_frame)
{
	enum lost_reason why;
	uint32_t place = 0;

	cr_assert(walker_run(capture_inside, &place, false, &why));
	assert_first_frame_alone(place, LOST_WALK_NESTED);
	assert_whole(capture());
}

/* Work that goes on until it is told to end. */
static uint32_t begun, may_end;

static void go_on(void *argument)
{
	(void)argument;
	store_release(&begun, 1);
	while (!load_acquire(&may_end))
		sched_yield();
}

static void *walk_on(void *argument)
{
	enum lost_reason why;

	return walker_run(go_on, NULL, false, &why) ? NULL : argument;
}

static void *fork_on(void *argument)
{
	(void)argument;
	walker_before_fork();
	go_on(NULL);
	walker_after_fork_in_parent();
	return NULL;
}

static pthread_t start(void *(*function)(void *))
{
	pthread_t companion;

	pthread_create(&companion, NULL, function, &begun);
	while (!load_acquire(&begun))
		sched_yield();
	return companion;
}

static void end(pthread_t companion)
{
	void *failed;

	store_release(&may_end, 1);
	pthread_join(companion, &failed);
	cr_assert_null(failed);
}

Test(walker, a_walk_during_another_threads_is_its_first_frame)
{
	pthread_t walking = start(walk_on);

	assert_first_frame_alone(capture(), LOST_WALK_BUSY);
	end(walking);
	assert_whole(capture());
}

Test(walker, a_walk_during_another_threads_fork_is_its_first_frame)
{
	pthread_t forking = start(fork_on);

	assert_first_frame_alone(capture(), LOST_WALK_FORK);
	end(forking);
	assert_whole(capture());
}

Test(walker, the_forking_thread_sees_its_own_stack)
{
	walker_before_fork();
	assert_whole(capture());
	walker_after_fork_in_parent();
}

Test(walker, two_threads_that_fork_do_not_walk)
{
	pthread_t forking = start(fork_on);

	walker_before_fork();
	assert_first_frame_alone(capture(), LOST_WALK_FORK);
	walker_after_fork_in_parent();
	end(forking);
}

static void *fork_once(void *forked)
{
	pid_t child = fork();

	if (child == 0)
		/* A walk of the parent's is none of the child's. */
		_exit(fixture_stack(capture())->depth > 1 ? 0 : 1);
	store_release((uint32_t *)forked, 1);
	waitpid(child, (int *)((uint32_t *)forked + 1), 0);
	return NULL;
}

Test(walker, a_fork_waits_for_the_walk_under_way)
{
	uint32_t forked[2] = { 0, 1 };
	pthread_t walking = start(walk_on);
	pthread_t forking;

	pthread_create(&forking, NULL, fork_once, forked);
	/* The fork is announced: walks are left out until it is over. */
	while (fixture_lost(LOST_WALK_FORK) == 0)
		capture();
	cr_assert_eq(load_acquire(&forked[0]), 0);
	end(walking);
	pthread_join(forking, NULL);
	cr_assert_eq(load_acquire(&forked[0]), 1);
	cr_assert_eq(forked[1], 0);
	assert_whole(capture());
}

static uint32_t is_walked;

static void compute_a_while(void *argument)
{
	(void)argument;
	store_release(&begun, 1);
	for (volatile int i = 0; i < 10000000; i++)
		;
	store_release(&is_walked, 1);
}

static void *compute_in_walk(void *argument)
{
	enum lost_reason why;

	return walker_run(compute_a_while, NULL, false, &why) ? NULL : argument;
}

/* Where a processor is shared, that thread gets none unless we sleep. */
static bool go_before_others(void)
{
	const struct sched_param first = { .sched_priority = 1 };
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	return !sched_setaffinity(0, sizeof(one), &one) &&
	       !sched_setscheduler(0, SCHED_FIFO, &first);
}

Test(walker, a_fork_waits_for_a_walk_of_a_thread_with_lower_priority)
{
	const struct sched_param none = { .sched_priority = 0 };
	pthread_t walking;

	if (!go_before_others())
		cr_skip_test("no priority is to be had");
	sched_setscheduler(0, SCHED_OTHER, &none);
	walking = start(compute_in_walk);
	cr_assert(go_before_others());
	walker_before_fork();
	cr_assert_eq(load_acquire(&is_walked), 1);
	walker_after_fork_in_parent();
	end(walking);
}

Test(walker, a_child_whose_fork_told_nobody_walks_after_its_reset)
{
	pthread_t walking = start(walk_on);
	int status;
	/* Not the library's function: no handler of pthread_atfork runs. */
	long child = sys1(SYS_clone, SIGCHLD);

	if (child == 0) {
		fixture_recording(1 << 20);
		stack_reset();
		_exit(fixture_stack(capture())->depth > 1 ? 0 : 1);
	}
	end(walking);
	cr_assert_eq(waitpid((pid_t)child, &status, 0), (pid_t)child);
	cr_assert_eq(status, 0);
}

static uintptr_t address_in_work;

static void note_address(void *argument)
{
	char here;

	*(uintptr_t *)argument = (uintptr_t)&here;
}

Test(walker, work_is_done_on_the_walkers_own_stack)
{
	uintptr_t guard = (uintptr_t)walker_guard_page();
	enum lost_reason why;

	cr_assert(walker_run(note_address, &address_in_work, false, &why));
	cr_assert_gt(address_in_work, guard);
	cr_assert_lt(address_in_work - guard, 68 << 10);
}

static void note_mask(void *argument)
{
	*(long *)argument = sys_sigprocmask(
		SIG_SETMASK, NULL, (kernel_sigset *)((long *)argument + 1));
}

Test(walker, every_signal_but_those_of_faults_is_blocked_during_a_walk)
{
	long result[2] = { -1, 0 };
	enum lost_reason why;

	NOT_EMULATED(OWN_SIGNALS);
	cr_assert(walker_run(note_mask, result, false, &why));
	cr_assert_eq(result[0], 0);
	/* But the two that nobody can block. */
	cr_assert_eq((kernel_sigset)result[1], QUIET_MASK & ~UNMASKABLE);
}
