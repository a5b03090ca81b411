/*
 * The profile: which function is to blame, and for how much.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>

#include "report/culprit.h"
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

static struct sample *add(enum sample_kind kind, struct stack *stack,
			  struct lock *lock, uint64_t total_ns, uint64_t count)
{
	struct samples *samples = &process->samples[kind];

	if (!samples->list)
		samples->list =
			arena_alloc(&process->arena, 16, sizeof(struct sample));
	samples->list[samples->count++] = (struct sample){
		.stack = stack,
		.lock = lock,
		.why.call = "",
		.total_ns = total_ns,
		.count = count,
		.max_ns = total_ns,
	};
	return &samples->list[samples->count - 1];
}

/* As the report makes it. */
static struct profile profile_now(enum sample_kind kind)
{
	struct culprits culprits = culprits_of(process);

	return profile_of(process, kind,
			  kind == SAMPLE_STALL ? &culprits : NULL);
}

Test(profile, nothing_is_no_blame)
{
	cr_assert_eq(profile_now(SAMPLE_STALL).count, 0);
}

Test(profile, the_program_is_blamed_not_its_library)
{
	struct profile profile;

	add(SAMPLE_STALL,
	    STACK("libc:clock_nanosleep", "libc:usleep", "parse_config",
		  "main"),
	    NULL, 60, 5);
	profile = profile_now(SAMPLE_STALL);
	cr_assert_eq(profile.count, 1);
	cr_assert_str_eq(profile.blames[0].call->function, "parse_config");
	cr_assert_str_eq(profile.blames[0].parts[0].call->function, "usleep");
}

Test(profile, a_function_that_ran_is_its_own_part)
{
	struct profile profile;

	add(SAMPLE_STALL, STACK("hash", "main"), NULL, 60, 5);
	profile = profile_now(SAMPLE_STALL);
	cr_assert_str_eq(profile.blames[0].parts[0].call->function, "hash");
	cr_assert_null(profile.blames[0].parts[1].call);
}

Test(profile, the_language_is_not_blamed_where_it_was_inlined)
{
	struct profile profile;

	add(SAMPLE_MUTEX,
	    STACK("__gthread_mutex_unlock", "std::mutex::unlock", "evict"),
	    NULL, 60, 5);
	profile = profile_now(SAMPLE_MUTEX);
	cr_assert_str_eq(profile.blames[0].call->function, "evict");
}

Test(profile, what_was_inlined_is_blamed_where_there_is_nothing_else)
{
	struct stack *stack =
		STACK("std::unlock", "Cache::refresh", "main::{lambda}",
		      "std::invoke", "libc:start_thread");

	for (int i = 0; i < 4; i++)
		stack->calls[i].is_helper = true;
	cr_assert_eq(stack_headline(stack), 1);
	cr_assert_eq(stack_shown(stack), 3);
}

Test(profile, a_stack_without_the_program_blames_its_leaf)
{
	struct profile profile;

	add(SAMPLE_STALL, STACK("libc:read", "libc:start_thread"), NULL, 1, 1);
	profile = profile_now(SAMPLE_STALL);
	cr_assert_str_eq(profile.blames[0].call->function, "read");
}

Test(profile, stacks_of_one_function_add_up)
{
	struct profile profile;
	struct stack *heavy = STACK("parse", "reload", "main");

	add(SAMPLE_STALL, STACK("parse", "start", "main"), NULL, 30, 2);
	add(SAMPLE_STALL, STACK("log", "main"), NULL, 40, 1);
	add(SAMPLE_STALL, STACK("parse", "reload", "main"), NULL, 10, 1);
	add(SAMPLE_STALL, heavy, NULL, 25, 3);
	profile = profile_now(SAMPLE_STALL);
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
	profile = profile_now(SAMPLE_MUTEX);
	cr_assert_eq(profile.count, 2);
	cr_assert_eq(profile.blames[0].lock, &locks[1]);
	cr_assert_eq(profile.blames[1].lock, &locks[0]);
}

/* A stall that was found in these stacks, NULL: only in the first. */
static struct stall *add_stall(struct stack *stack, struct stack *apart,
			       uint64_t duration_ns)
{
	struct stall *stall;

	if (!process->stalls)
		process->stalls =
			arena_alloc(&process->arena, 16, sizeof(struct stall));
	stall = &process->stalls[process->stalls_count++];
	*stall = (struct stall){
		.stack = stack,
		.apart = apart,
		.duration_ns = duration_ns,
		.ticks = 1,
		.call = "",
	};
	return stall;
}

/* The function that a stall found in these two stacks is blamed on. */
static const char *blamed_for(struct stack *stack, struct stack *apart)
{
	process->stalls_count = 0;
	add_stall(stack, apart, 1);
	return culprits_of(process).list[0].call->function;
}

Test(profile, a_stall_is_blamed_on_the_function_it_did_not_leave)
{
	struct stack *find = STACK("find", "keys", "dispatch", "main");
	struct stack *match = STACK("match", "keys", "dispatch", "main");
	struct stack *parse = STACK("parse", "get", "dispatch", "main");
	struct profile profile;

	add(SAMPLE_STALL, find, NULL, 40, 4);
	add(SAMPLE_STALL, match, NULL, 60, 6);
	add(SAMPLE_STALL, parse, NULL, 50, 5);
	add_stall(find, match, 70);
	add_stall(match, find, 30);
	add_stall(parse, NULL, 50);
	profile = profile_now(SAMPLE_STALL);
	cr_assert_eq(profile.count, 2);
	cr_assert_str_eq(profile.blames[0].call->function, "keys");
	cr_assert_eq(profile.blames[0].total_ns, 100);
	cr_assert_eq(profile.blames[0].stalls, 2);
	cr_assert_eq(profile.blames[0].place, 1);
	cr_assert_str_eq(profile.blames[0].parts[0].call->function, "match");
	cr_assert_eq(profile.blames[0].parts[0].total_ns, 60);
	cr_assert_str_eq(profile.blames[0].parts[1].call->function, "find");
	cr_assert_str_eq(profile.blames[1].call->function, "parse");
	cr_assert_eq(profile.total_ns, 150);
}

Test(profile, a_callee_with_most_of_the_time_is_blamed_instead)
{
	struct stack *parse = STACK("parse", "reload", "serve", "main");
	struct stack *answer = STACK("libc:write", "serve", "main");
	struct profile profile;

	add(SAMPLE_STALL, parse, NULL, 70, 7);
	add(SAMPLE_STALL, answer, NULL, 30, 1);
	add_stall(parse, answer, 100);
	profile = profile_now(SAMPLE_STALL);
	cr_assert_eq(profile.count, 2);
	cr_assert_str_eq(profile.blames[0].call->function, "parse");
	cr_assert_eq(profile.blames[0].total_ns, 70);
	cr_assert_eq(profile.blames[0].stalls, 1);
	cr_assert_str_eq(profile.blames[1].call->function, "serve");
	cr_assert_eq(profile.blames[1].total_ns, 30);
	cr_assert_eq(profile.blames[1].stalls, 0);
}

Test(profile, a_stall_of_the_timeline_bears_the_name_of_its_culprit)
{
	struct stack *parse = STACK("parse", "reload", "serve", "main");
	struct stack *answer = STACK("libc:write", "serve", "main");
	struct culprits culprits;

	add(SAMPLE_STALL, parse, NULL, 70, 7);
	add(SAMPLE_STALL, answer, NULL, 30, 1);
	add_stall(NULL, NULL, 5);
	add_stall(parse, answer, 100);
	culprits = culprits_of(process);
	cr_assert_null(culprits.of_stall[0], "a stall without a stack");
	cr_assert_eq(culprits.of_stall[1]->stack, parse);
	cr_assert_eq(culprits.of_stall[1]->place, 0);
}

Test(profile, a_culprit_is_the_programs_own)
{
	cr_assert_str_eq(blamed_for(STACK("libc:memcpy", "libc:qsort", "sort"),
				    STACK("libc:memcmp", "libc:qsort", "sort")),
			 "sort");
	cr_assert_str_eq(
		blamed_for(STACK("less", "std::sort", "order", "main"),
			   STACK("swap", "std::sort", "order", "main")),
		"order");
}

Test(profile, stacks_with_nothing_in_common_tell_of_no_culprit)
{
	cr_assert_str_eq(blamed_for(STACK("libc:read", "load", "main"),
				    STACK("cut", "off")),
			 "load");
}

Test(profile, a_function_that_calls_itself_is_blamed_as_a_whole)
{
	struct stack *deep = STACK("visit", "visit", "visit", "main");

	add(SAMPLE_STALL, deep, NULL, 70, 7);
	cr_assert_str_eq(blamed_for(deep, STACK("visit", "visit", "main")),
			 "visit");
}

Test(profile, a_callee_that_stalls_by_itself_has_its_own_stalls)
{
	struct stack *alone = STACK("log", "handle", "main");
	struct stack *parse = STACK("parse", "handle", "main");
	struct stack *check = STACK("check", "handle", "main");
	struct profile profile;

	add(SAMPLE_STALL, alone, NULL, 50, 10);
	add(SAMPLE_STALL, parse, NULL, 20, 2);
	add(SAMPLE_STALL, check, NULL, 20, 2);
	add_stall(alone, NULL, 30);
	/* One that log() has a part in, besides others. */
	add_stall(parse, alone, 60);
	profile = profile_now(SAMPLE_STALL);
	cr_assert_eq(profile.count, 2);
	cr_assert_str_eq(profile.blames[0].call->function, "log");
	cr_assert_eq(profile.blames[0].stalls, 1);
	cr_assert_str_eq(profile.blames[1].call->function, "handle");
	cr_assert_eq(profile.blames[1].total_ns, 40);
	cr_assert_eq(profile.blames[1].stalls, 1);
}

Test(profile, a_handler_and_its_only_callee_are_blamed_alike)
{
	struct stack *work = STACK("work", "handle", "main");
	struct stack *self = STACK("handle", "main");
	struct culprits culprits;

	add(SAMPLE_STALL, work, NULL, 90, 9);
	add(SAMPLE_STALL, self, NULL, 10, 1);
	add_stall(work, NULL, 20);
	add_stall(work, self, 30);
	add_stall(self, work, 30);
	/* At its first line, and at its last. */
	add_stall(self, self, 20);
	culprits = culprits_of(process);
	cr_assert_eq(culprits.count, 1);
	cr_assert_str_eq(culprits.list[0].call->function, "work");
	cr_assert_eq(culprits.list[0].stalls, 4);
}

Test(profile, a_sleep_in_a_handler_is_not_its_other_work)
{
	struct stack *work = STACK("work", "handle", "main");
	struct stack *sleep = STACK("libc:usleep", "handle", "main");
	struct stack *self = STACK("handle", "main");
	struct culprits culprits;

	add(SAMPLE_STALL, work, NULL, 900, 9);
	add(SAMPLE_STALL, sleep, NULL, 50, 2);
	add(SAMPLE_STALL, self, NULL, 5, 1);
	add_stall(sleep, NULL, 30);
	add_stall(sleep, self, 25);
	culprits = culprits_of(process);
	cr_assert_eq(culprits.count, 1);
	cr_assert_str_eq(culprits.list[0].call->function, "handle");
}

Test(profile, where_a_thread_was_not_let_run_does_not_matter)
{
	struct stack *work = STACK("work", "handle", "main");
	struct stack *self = STACK("handle", "main");
	struct sample *sample;

	add(SAMPLE_STALL, work, NULL, 90, 9);
	sample = add(SAMPLE_STALL, self, NULL, 900, 1);
	sample->why.cause = CAUSE_UNSCHEDULED;
	add_stall(work, self, 990);
	cr_assert_str_eq(culprits_of(process).list[0].call->function, "work");
}

Test(profile, a_stall_is_not_blamed_on_what_it_was_not_seen_in)
{
	struct stack *work = STACK("work", "handle", "main");
	struct stack *parse = STACK("parse", "handle", "main");
	struct stack *check = STACK("check", "handle", "main");
	struct culprits culprits;

	add(SAMPLE_STALL, work, NULL, 900, 9);
	add(SAMPLE_STALL, parse, NULL, 10, 1);
	add(SAMPLE_STALL, check, NULL, 10, 1);
	add_stall(work, NULL, 900);
	add_stall(parse, check, 20);
	culprits = culprits_of(process);
	cr_assert_eq(culprits.count, 2);
	cr_assert_str_eq(culprits.of_stall[1]->call->function, "handle");
}

Test(profile, a_stall_is_not_blamed_on_the_lesser_part_of_it)
{
	struct stack *append = STACK("fsync", "append", "on_set", "main");
	struct stack *wait = STACK("lock", "on_set", "main");

	add(SAMPLE_STALL, append, NULL, 900, 9);
	add(SAMPLE_STALL, wait, NULL, 65, 1);
	add_stall(append, NULL, 865);
	add_stall(wait, append, 100);
	cr_assert_str_eq(culprits_of(process).of_stall[0]->call->function,
			 "fsync");
	cr_assert_str_eq(culprits_of(process).of_stall[1]->call->function,
			 "on_set");
}

Test(profile, a_stall_was_in_the_call_its_own_stack_was_blocked_in)
{
	struct stack *work = STACK("crunch", "main");
	struct stack *sleep = STACK("prepare", "main");
	struct sample *sample;
	struct stall *stall;

	sample = add(SAMPLE_STALL, sleep, NULL, 15, 1);
	sample->why = (struct why){ .cause = CAUSE_BLOCKED, .call = "usleep" };
	add(SAMPLE_STALL, work, NULL, 2500, 9);
	stall = add_stall(work, sleep, 2515);
	stall->call = "usleep";
	cr_assert_str_eq(stall_blocked_in(process, stall), "");
	stall->stack = sleep;
	cr_assert_str_eq(stall_blocked_in(process, stall), "usleep");
}

Test(profile, of_a_cause_the_call_with_most_time_in_all_is_told)
{
	struct profile profile;

	for (int i = 0; i < 12; i++) {
		struct sample *sample = add(SAMPLE_STALL, STACK("work"), NULL,
					    i == 5 ? 120 : 50, 1);

		sample->why =
			(struct why){ .cause = CAUSE_BLOCKED,
				      .call = i == 5 ? "poll" : "usleep" };
	}
	profile = profile_now(SAMPLE_STALL);
	cr_assert_eq(profile.count, 1);
	cr_assert_eq(profile.blames[0].cause_ns[CAUSE_BLOCKED], 670);
	cr_assert_str_eq(profile.blames[0].why[CAUSE_BLOCKED].call, "usleep");
}

Test(profile, a_stall_without_samples_is_blamed_all_the_same)
{
	struct stall *stall;
	struct profile profile;

	stall = add_stall(STACK("parse", "main"), NULL, 50);
	profile = profile_now(SAMPLE_STALL);
	cr_assert_eq(profile.count, 1);
	cr_assert_str_eq(profile.blames[0].call->function, "parse");
	cr_assert_eq(profile.blames[0].total_ns, 50);
	cr_assert_eq(profile.blames[0].stalls_ns, 50);
	cr_assert_eq(profile.blames[0].stack, stall->stack);
}

Test(profile, what_is_small_is_not_shown)
{
	static const char *const names[] = { "a", "b", "c", "d", "e" };
	struct profile profile;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		add(SAMPLE_STALL, STACK(names[i]), NULL, i ? 1 : 1000, 1);
	profile = profile_now(SAMPLE_STALL);
	cr_assert_eq(profile_shown(&profile, 10, false), 3);
	cr_assert_eq(profile_shown(&profile, 2, false), 2);
	cr_assert_eq(profile_shown(&profile, 10, true), 5);
}

Test(profile, who_has_bytes_packed_is_to_blame_not_who_packs_them)
{
	static const char *const libraries[] = { "libz.so.1", "libcrypto.so.3",
						 "libbrotlienc.so.1" };

	for (size_t i = 0; i < ARRAY_SIZE(libraries); i++) {
		struct stack *stack = STACK("work", "pack", "send_page");

		stack->calls[0].object = stack->calls[1].object = libraries[i];
		cr_assert_eq(stack_headline(stack), 2);
	}
}

Test(profile, sums_stop_at_the_largest_number)
{
	struct profile profile;

	add(SAMPLE_STALL, STACK("parse"), NULL, UINT64_MAX, UINT64_MAX);
	add(SAMPLE_STALL, STACK("parse"), NULL, UINT64_MAX, UINT64_MAX);
	profile = profile_now(SAMPLE_STALL);
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
