/*
 * The profile: which function is to blame, and for how much.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>

#include "report/familiar.h"
#include "report/profile.h"

static struct process *process;

static void set_up(void)
{
	process = process_new("by hand");
}

static void tear_down(void)
{
	process_free(process);
}

TestSuite(profile, .init = set_up, .fini = tear_down);

/* A stack of functions, leaf first; "libc:read" is libc's. Ends in NULL. */
static struct stack *stack_of(const char *const *functions)
{
	struct stack *stack = arena_alloc(&process->arena, 1, sizeof(*stack));

	stack->calls = arena_alloc(&process->arena, 8, sizeof(struct call));
	for (; *functions; functions++) {
		bool is_libc = !strncmp(*functions, "libc:", 5);

		stack->calls[stack->calls_count++] = (struct call){
			.function = *functions + (is_libc ? 5 : 0),
			.object = is_libc ? "libc.so.6" : "app",
		};
	}
	return stack;
}

#define STACK(...) stack_of((const char *const[]){ __VA_ARGS__, NULL })

static void add(enum sample_kind kind, struct stack *stack, struct lock *lock,
		uint64_t total_ns, uint64_t count)
{
	struct samples *samples = &process->samples[kind];

	if (!samples->list)
		samples->list =
			arena_alloc(&process->arena, 16, sizeof(struct sample));
	samples->list[samples->count++] = (struct sample){
		.stack = stack,
		.lock = lock,
		.total_ns = total_ns,
		.count = count,
		.max_ns = total_ns,
	};
}

Test(profile, nothing_is_no_blame)
{
	cr_assert_eq(profile_of(process, SAMPLE_STALL).count, 0);
}

Test(profile, the_program_is_blamed_not_its_library)
{
	struct profile profile;

	add(SAMPLE_STALL,
	    STACK("libc:clock_nanosleep", "libc:usleep", "parse_config",
		  "main"),
	    NULL, 60, 5);
	profile = profile_of(process, SAMPLE_STALL);
	cr_assert_eq(profile.count, 1);
	cr_assert_str_eq(profile.blames[0].call->function, "parse_config");
	cr_assert_str_eq(profile.blames[0].leaf->function, "clock_nanosleep");
}

Test(profile, a_function_that_ran_itself_is_in_nothing)
{
	struct profile profile;

	add(SAMPLE_STALL, STACK("hash", "main"), NULL, 60, 5);
	profile = profile_of(process, SAMPLE_STALL);
	cr_assert_null(profile.blames[0].leaf);
}

Test(profile, the_language_is_not_blamed_where_it_was_inlined)
{
	struct profile profile;

	add(SAMPLE_MUTEX,
	    STACK("__gthread_mutex_unlock", "std::mutex::unlock", "evict"),
	    NULL, 60, 5);
	profile = profile_of(process, SAMPLE_MUTEX);
	cr_assert_str_eq(profile.blames[0].call->function, "evict");
}

Test(profile, a_stack_without_the_program_blames_its_leaf)
{
	struct profile profile;

	add(SAMPLE_STALL, STACK("libc:read", "libc:start_thread"), NULL, 1, 1);
	profile = profile_of(process, SAMPLE_STALL);
	cr_assert_str_eq(profile.blames[0].call->function, "read");
	cr_assert_null(profile.blames[0].leaf);
}

Test(profile, stacks_of_one_function_add_up)
{
	struct profile profile;
	struct stack *heavy = STACK("parse", "reload", "main");

	add(SAMPLE_STALL, STACK("parse", "start", "main"), NULL, 30, 2);
	add(SAMPLE_STALL, STACK("log", "main"), NULL, 40, 1);
	add(SAMPLE_STALL, STACK("parse", "reload", "main"), NULL, 10, 1);
	add(SAMPLE_STALL, heavy, NULL, 25, 3);
	profile = profile_of(process, SAMPLE_STALL);
	cr_assert_eq(profile.count, 2);
	cr_assert_eq(profile.total_ns, 105);
	cr_assert_str_eq(profile.blames[0].call->function, "parse");
	cr_assert_eq(profile.blames[0].total_ns, 65);
	cr_assert_eq(profile.blames[0].count, 6);
	cr_assert_eq(profile.blames[0].stacks, 2);
	cr_assert_eq(profile.blames[0].stack_ns, 35, "10 and 25 are alike");
	cr_assert_eq(profile.blames[0].stack, heavy);
	cr_assert_str_eq(profile.blames[1].call->function, "log");
}

Test(profile, locks_are_told_apart)
{
	static struct lock locks[2];
	struct profile profile;

	add(SAMPLE_MUTEX, STACK("flush", "main"), &locks[0], 10, 1);
	add(SAMPLE_MUTEX, STACK("flush", "main"), &locks[1], 20, 1);
	profile = profile_of(process, SAMPLE_MUTEX);
	cr_assert_eq(profile.count, 2);
	cr_assert_eq(profile.blames[0].lock, &locks[1]);
	cr_assert_eq(profile.blames[1].lock, &locks[0]);
}

Test(profile, stalls_of_the_timeline_are_counted_where_they_began)
{
	struct stack *stack = STACK("parse", "main");
	struct stall stalls[] = {
		{ .stack = stack, .call = "" },
		{ .stack = stack, .call = "usleep" },
		{ .stack = NULL, .call = "" },
		{ .stack = STACK("log", "main"), .call = "" },
	};
	struct profile profile;

	add(SAMPLE_STALL, stack, NULL, 30, 9);
	process->stalls = stalls;
	process->stalls_count = ARRAY_SIZE(stalls);
	profile = profile_of(process, SAMPLE_STALL);
	cr_assert_eq(profile.blames[0].stalls, 2);
	cr_assert_str_eq(profile.blames[0].blocked_in, "usleep");
}

Test(profile, sums_stop_at_the_largest_number)
{
	struct profile profile;

	add(SAMPLE_STALL, STACK("parse"), NULL, UINT64_MAX, UINT64_MAX);
	add(SAMPLE_STALL, STACK("parse"), NULL, UINT64_MAX, UINT64_MAX);
	profile = profile_of(process, SAMPLE_STALL);
	cr_assert_eq(profile.blames[0].total_ns, UINT64_MAX);
	cr_assert_eq(profile.blames[0].count, UINT64_MAX);
}

Test(profile, the_beginning_of_a_thread_is_not_shown)
{
	struct stack *stack = STACK("work", "std::thread::_Invoker::operator()",
				    "libc:start_thread", "libc:clone3");

	cr_assert_eq(stack_shown(stack), 1);
	cr_assert_eq(stack_shown(STACK("main", "libc:__libc_start_call_main",
				       "_start")),
		     1);
	cr_assert_eq(stack_shown(STACK("libc:read", "libc:clone3")), 2);
}
