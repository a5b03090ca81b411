/*
 * The place that has most of a stall's time, and where a tenth was not.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "recording_fixture.h"
#include "setup/layout.h"
#include "sigsafe/loops/heaviest.h"
#include "sigsafe/loops/run_samples.h"
#include "sigsafe/record/stack_table.h"

static struct recording *rec;
static struct thread self;

static void make(void)
{
	rec = fixture_recording(MIN_RECORDING_BYTES);
	self = fixture_thread(rec);
}

TestSuite(heaviest, .init = make);

#define CALL(offset) frame_pack(1, offset)
#define WORK(offset) (frame_pack(1, offset) | FRAME_EXACT)

/* Leaf first. */
#define STACK(...)                                                             \
	stack_table_add(rec, (const uint64_t[]){ __VA_ARGS__ },                \
			ARRAY_SIZE(((const uint64_t[]){ __VA_ARGS__ })))

static void add(uint32_t stack, enum cause cause, uint64_t ns)
{
	const struct sample sample = {
		.kind = SAMPLE_STALL,
		.lock = CAUSE_WORD(cause, 0),
		.stack = stack,
	};

	run_samples_add(&self, sample, ns, 1, NULL);
}

Test(heaviest, is_nowhere_without_a_sample)
{
	cr_assert_eq(heaviest_of(&self).stack, 0);
}

Test(heaviest, is_where_most_of_the_time_went_not_where_it_began)
{
	uint32_t sleeps = STACK(WORK(900), CALL(300), CALL(100));
	uint32_t first, work;

	add(sleeps, CAUSE_BLOCKED, 15);
	first = STACK(WORK(500), CALL(200), CALL(100));
	add(first, CAUSE_CPU, 10);
	/* Ever other instructions of one function: each has less than 15. */
	for (uint64_t i = 1; i < 50; i++)
		add(STACK(WORK(500 + i), CALL(200), CALL(100)), CAUSE_CPU, 10);
	work = heaviest_of(&self).stack;
	cr_assert_neq(work, sleeps);
	cr_assert_neq(work, 0);
	cr_assert_eq(heaviest_of(&self).apart, 0, "500 of 515: all the time");
}

Test(heaviest, tells_where_it_was_apart_from_a_tenth_on)
{
	uint32_t most = STACK(WORK(500), CALL(200), CALL(100));
	uint32_t rest = STACK(WORK(900), CALL(300), CALL(100));

	add(most, CAUSE_CPU, 80);
	add(rest, CAUSE_LOCK, 20);
	cr_assert_eq(heaviest_of(&self).stack, most);
	cr_assert_eq(heaviest_of(&self).apart, rest);
	add(most, CAUSE_CPU, 400);
	cr_assert_eq(heaviest_of(&self).apart, 0);
}

Test(heaviest, of_many_places_is_the_heaviest_one)
{
	uint32_t stack[] = {
		STACK(WORK(1), CALL(200), CALL(100)),
		STACK(WORK(2), CALL(300), CALL(100)),
		STACK(WORK(3), CALL(400), CALL(100)),
	};

	add(stack[0], CAUSE_CPU, 30);
	add(stack[1], CAUSE_CPU, 40);
	add(stack[2], CAUSE_CPU, 31);
	cr_assert_eq(heaviest_of(&self).stack, stack[1]);
	cr_assert_neq(heaviest_of(&self).apart, stack[1]);
	cr_assert_neq(heaviest_of(&self).apart, 0);
}

Test(heaviest, does_not_count_time_without_a_processor)
{
	uint32_t work = STACK(WORK(500), CALL(200), CALL(100));

	add(STACK(WORK(900), CALL(300), CALL(100)), CAUSE_UNSCHEDULED, 1000);
	cr_assert_eq(heaviest_of(&self).stack, 0);
	add(work, CAUSE_CPU, 1);
	cr_assert_eq(heaviest_of(&self).stack, work);
	cr_assert_eq(heaviest_of(&self).apart, 0);
}

Test(heaviest, takes_a_stack_that_ends_early_for_another_place)
{
	uint32_t caller = STACK(CALL(200), CALL(100));
	uint32_t callee = STACK(WORK(500), CALL(200), CALL(100));

	add(caller, CAUSE_BLOCKED, 60);
	add(callee, CAUSE_CPU, 40);
	cr_assert_eq(heaviest_of(&self).stack, caller);
	cr_assert_eq(heaviest_of(&self).apart, callee);
}
