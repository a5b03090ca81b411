/*
 * From evidence to causes, row by row.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/calls.h"
#include "base/records.h"

#define MS NS_PER_MS

#define check(evidence, cause, expected)                                       \
	cr_assert_eq(causes_of(&(evidence)).ns[cause], expected, "%s is %ju",  \
		     cause_key(cause),                                         \
		     (uintmax_t)causes_of(&(evidence)).ns[cause])

Test(cause, what_computes_is_on_cpu)
{
	struct evidence e = { .wall_ns = 10 * MS, .cpu_ns = 10 * MS };

	check(e, CAUSE_CPU, 10 * MS);
}

Test(cause, a_processor_is_blamed_for_no_more_than_was_used)
{
	struct evidence e = { .wall_ns = 80 * MS,
			      .cpu_ns = 10 * MS,
			      .late_ns = 70 * MS,
			      .involuntary = 3 };

	check(e, CAUSE_CPU, 10 * MS);
	check(e, CAUSE_UNSCHEDULED, 70 * MS);
}

Test(cause, a_stop_is_not_a_sleep)
{
	/* The kernel counts it as voluntary; the program was computing. */
	struct evidence e = { .wall_ns = 2000 * MS,
			      .late_ns = 1990 * MS,
			      .voluntary = 1 };

	check(e, CAUSE_UNSCHEDULED, 2000 * MS);
	/* Nor where it had slept much before. */
	e.voluntary = 11;
	check(e, CAUSE_UNSCHEDULED, 2000 * MS);
	/* Nor in a call that never does. */
	e.state = CALL_RETURNED;
	e.call = CALL_SYSTEM(39);
	e.voluntary = 1;
	check(e, CAUSE_UNSCHEDULED, 2000 * MS);
	/* Nor for so long for one page. */
	e.state = CALL_OUTSIDE;
	e.voluntary = 2;
	e.major_faults = 1;
	check(e, CAUSE_UNSCHEDULED, 2000 * MS);
}

Test(cause, a_call_that_the_tick_broke_has_blocked)
{
	struct evidence e = { .wall_ns = 10 * MS,
			      .voluntary = 1,
			      .state = CALL_INTERRUPTED };

	check(e, CAUSE_BLOCKED, 10 * MS);
	/* Without the tick, too, it would sleep on. */
	e.late_ns = 7 * MS;
	check(e, CAUSE_BLOCKED, 10 * MS);
	/* It slept a second time, where it was stopped. */
	e.voluntary = 2;
	check(e, CAUSE_BLOCKED, 3 * MS);
	check(e, CAUSE_UNSCHEDULED, 7 * MS);
}

Test(cause, a_call_that_a_tick_would_have_broken_was_over_when_it_was_due)
{
	static const uint32_t calls[] = { CALL_READ,  CALL_WRITEV,
					  CALL_RECV,  CALL_CONNECT,
					  CALL_WAIT4, CALL_NANOSLEEP,
					  CALL_POLL };
	struct evidence e = { .wall_ns = 108 * MS,
			      .late_ns = 98 * MS,
			      .voluntary = 1,
			      .state = CALL_RETURNED };

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		e.call = calls[i];
		check(e, CAUSE_BLOCKED, 10 * MS);
		check(e, CAUSE_UNSCHEDULED, 98 * MS);
	}
	/* A disk's bytes come in their own time. */
	e.call = CALL_READ;
	e.is_of_disk = true;
	check(e, CAUSE_BLOCKED, 108 * MS);
	e.is_of_disk = false;
	e.call = CALL_FSYNC;
	check(e, CAUSE_BLOCKED, 108 * MS);
}

Test(cause, a_call_that_held_the_tick_up_has_blocked)
{
	struct evidence e = { .wall_ns = 200 * MS,
			      .late_ns = 190 * MS,
			      .voluntary = 3,
			      .involuntary = 1,
			      .state = CALL_RETURNED };

	check(e, CAUSE_BLOCKED, 200 * MS);
}

Test(cause, who_is_preempted_behind_a_call_has_not_slept_in_it)
{
	struct evidence e = { .wall_ns = 20 * MS,
			      .cpu_ns = 4 * MS,
			      .late_ns = 10 * MS,
			      .involuntary = 1,
			      .state = CALL_RETURNED };

	check(e, CAUSE_UNSCHEDULED, 16 * MS);
	check(e, CAUSE_CPU, 4 * MS);
	/* Nor where both happened as often. */
	e.voluntary = 1;
	check(e, CAUSE_UNSCHEDULED, 16 * MS);
	/* But a call that no signal wakes is the likelier to have held it. */
	e.call = CALL_FSYNC;
	check(e, CAUSE_BLOCKED, 16 * MS);
	/* If it slept at all. */
	e.voluntary = 0;
	check(e, CAUSE_UNSCHEDULED, 16 * MS);
}

Test(cause, sleeping_for_pages_is_page_faults)
{
	struct evidence e = { .wall_ns = 30 * MS,
			      .late_ns = 10 * MS,
			      .voluntary = 100,
			      .major_faults = 60 };

	check(e, CAUSE_FAULTS, 30 * MS);
	/* One of them among many sleeps is not. */
	e.major_faults = 1;
	check(e, CAUSE_BLOCKED, 20 * MS);
	check(e, CAUSE_UNSCHEDULED, 10 * MS);
}

Test(cause, a_storm_of_minor_faults_is_page_faults)
{
	struct evidence e = { .wall_ns = 12 * MS,
			      .cpu_ns = 12 * MS,
			      .minor_faults = 4001 };

	check(e, CAUSE_FAULTS, 12 * MS);
	e.minor_faults = 4000;
	check(e, CAUSE_CPU, 12 * MS);
}

Test(cause, a_sleep_that_a_tick_broke_goes_on_until_it_is_seen_elsewhere)
{
	struct evidence e = { .wall_ns = 10 * MS,
			      .cpu_ns = 2 * MS,
			      .asleep_ns = 10 * MS,
			      .voluntary = 1 };

	check(e, CAUSE_BLOCKED, 8 * MS);
	/* What the tick is late by it was not let run. */
	e.late_ns = 3 * MS;
	check(e, CAUSE_BLOCKED, 5 * MS);
	check(e, CAUSE_UNSCHEDULED, 3 * MS);
	/* A hook saw it elsewhere by then, and what that took. */
	e.late_ns = 0;
	e.asleep_ns = 4 * MS;
	e.blocked_ns = 2 * MS;
	check(e, CAUSE_BLOCKED, 6 * MS);
	check(e, CAUSE_UNSCHEDULED, 2 * MS);
	/* Kept from running it may have been all the time. */
	e.involuntary = 1;
	check(e, CAUSE_BLOCKED, 2 * MS);
}

Test(cause, many_short_sleeps_have_blocked)
{
	struct evidence e = { .wall_ns = 12 * MS,
			      .cpu_ns = 4 * MS,
			      .voluntary = 4 };

	check(e, CAUSE_BLOCKED, 8 * MS);
	check(e, CAUSE_CPU, 4 * MS);
	e.voluntary = 3;
	check(e, CAUSE_UNSCHEDULED, 8 * MS);
}

Test(cause, what_hooks_measured_comes_first)
{
	struct evidence e = { .wall_ns = 40 * MS,
			      .cpu_ns = 9 * MS,
			      .wait_ns[CAUSE_LOCK] = 20 * MS,
			      .blocked_ns = 10 * MS };

	/* 1 ms is too little to be told apart, and goes to the lock. */
	check(e, CAUSE_LOCK, 21 * MS);
	check(e, CAUSE_BLOCKED, 10 * MS);
	check(e, CAUSE_CPU, 9 * MS);
	e.wait_ns[CAUSE_LOCK] = 100 * MS;
	check(e, CAUSE_LOCK, 40 * MS);
}

Test(cause, waits_for_other_things_than_locks_are_told_apart)
{
	struct evidence e = { .wall_ns = 40 * MS,
			      .wait_ns[CAUSE_LOCK] = 16 * MS,
			      .wait_ns[CAUSE_SEMAPHORE] = 12 * MS,
			      .wait_ns[CAUSE_BARRIER] = 8 * MS,
			      .wait_ns[CAUSE_JOIN] = 4 * MS };

	check(e, CAUSE_LOCK, 16 * MS);
	check(e, CAUSE_SEMAPHORE, 12 * MS);
	check(e, CAUSE_BARRIER, 8 * MS);
	check(e, CAUSE_JOIN, 4 * MS);
}

Test(cause, each_kind_of_lock_has_its_cause)
{
	cr_assert_eq(cause_of_wait(LOCK_MUTEX), CAUSE_LOCK);
	cr_assert_eq(cause_of_wait(LOCK_JOIN), CAUSE_JOIN);
	cr_assert_eq(cause_of_wait(LOCK_SEMAPHORE), CAUSE_SEMAPHORE);
	cr_assert_eq(cause_of_wait(LOCK_BARRIER), CAUSE_BARRIER);
	/* Who waits for an initialisation waits for the thread that does it. */
	cr_assert_eq(cause_of_wait(LOCK_ONCE), CAUSE_LOCK);
}

Test(cause, a_word_holds_each_cause_and_its_detail)
{
	uint32_t most = (UINT32_C(1) << 25) - 1;

	for (unsigned c = 0; c < CAUSE_COUNT; c++) {
		uint32_t word = CAUSE_WORD(c, most);
		uint64_t key = SAMPLE_KEY(SAMPLE_STALL, word, 1);

		cr_assert_eq(CAUSE_OF(SAMPLE_LOCK(key)), c);
		cr_assert_eq(CAUSE_DETAIL(SAMPLE_LOCK(key)), most);
	}
}

Test(cause, the_parts_add_up_to_the_slice)
{
	uint64_t seed = 1;

	for (int i = 0; i < 100000; i++) {
		struct evidence e;
		struct causes causes;
		uint64_t sum = 0;

#define some(n) ((seed = seed * 6364136223846793005u + 1) >> 33) % (n)
		e = (struct evidence){
			.wall_ns = some(1000),
			.cpu_ns = some(1000),
			.wait_ns[CAUSE_LOCK] = some(3) ? 0 : some(1000),
			.wait_ns[CAUSE_JOIN] = some(3) ? 0 : some(1000),
			.blocked_ns = some(3) ? 0 : some(1000),
			.asleep_ns = some(3) ? 0 : some(1000),
			.late_ns = some(1000),
			.voluntary = (uint32_t)some(10),
			.involuntary = (uint32_t)some(10),
			.minor_faults = (uint32_t)some(2),
			.major_faults = (uint32_t)some(4),
			.state = some(3),
		};
		causes = causes_of(&e);
		for (unsigned c = 0; c < CAUSE_COUNT; c++)
			sum += causes.ns[c];
		cr_assert_eq(sum, e.wall_ns);
		cr_assert_leq(causes.ns[CAUSE_CPU], e.cpu_ns + e.wall_ns / 16);
		cr_assert_eq(causes.ns[CAUSE_UNKNOWN], 0);
	}
}

Test(cause, each_has_its_words)
{
	cr_assert_str_eq(cause_words(CAUSE_UNSCHEDULED), "not scheduled");
	cr_assert_str_eq(cause_key(CAUSE_FAULTS), "faults");
	cr_assert_str_eq(cause_key(CAUSE_COUNT), "");
	cr_assert_str_eq(cause_words(CAUSE_COUNT), "");
}
