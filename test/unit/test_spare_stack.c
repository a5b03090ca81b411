/*
 * Spare stacks.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sigsafe/spare_stack.h"

/* Work within work, each on a stack of its own as long as there are some. */
struct nest {
	unsigned levels; /* still to come */
	uintptr_t here[16];
	int status;
};

static void go_deeper(void *argument)
{
	struct nest *nest = argument;
	char here;

	nest->here[nest->levels] = (uintptr_t)&here;
	if (nest->levels--)
		spare_stack_call(go_deeper, nest);
}

static bool is_near(uintptr_t a, uintptr_t b)
{
	return (a < b ? b - a : a - b) < 4096;
}

static struct nest run(unsigned levels)
{
	struct nest nest = { .levels = levels };

	spare_stack_call(go_deeper, &nest);
	return nest;
}

Test(spare_stack, work_is_done_on_another_stack)
{
	char here;
	struct nest nest;

	spare_stack_start();
	nest = run(0);
	cr_assert(!is_near(nest.here[0], (uintptr_t)&here));
	cr_assert(is_near(run(0).here[0], nest.here[0]));
}

Test(spare_stack, before_the_start_work_is_done_on_this_one)
{
	char here;

	cr_assert(is_near(run(0).here[0], (uintptr_t)&here));
}

Test(spare_stack, where_all_are_in_use_work_is_done_all_the_same)
{
	struct nest nest;
	unsigned shared = 0;

	spare_stack_start();
	nest = run(10);
	for (unsigned i = 0; i < 10; i++)
		shared += is_near(nest.here[i], nest.here[i + 1]);
	/* Eleven levels on eight stacks. */
	cr_assert_eq(shared, 3);
	cr_assert(!is_near(run(0).here[0], nest.here[0]));
}

/* With all in use, forks: the child, which never returns, has them all free. */
static void fork_at_the_bottom(void *argument)
{
	struct nest *nest = argument;
	pid_t child;

	if (nest->levels--) {
		spare_stack_call(fork_at_the_bottom, nest);
		return;
	}
	child = fork();
	if (child == 0) {
		uintptr_t here = (uintptr_t)&child;

		spare_stack_reset();
		_exit(is_near(run(0).here[0], here) ? 1 : 0);
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
