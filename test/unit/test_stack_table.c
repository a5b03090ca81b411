/*
 * The stack table.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <pthread.h>

#include "recording_fixture.h"
#include "sigsafe/live.h"
#include "sigsafe/record/stack_table.h"

#define THREADS 4
#define STACKS	2000u

static const uint64_t frames[] = { 11, 22, 33, 44 };

static const struct stack_record *stack_at(const struct recording *rec,
					   uint32_t place)
{
	const uint64_t *arena = section_records(rec, SECTION_STACKS);

	return (const struct stack_record *)&arena[place];
}

/* How many stacks the chains hold. */
static uint32_t count_stacks(const struct recording *rec)
{
	const uint32_t *head = section_records(rec, SECTION_STACK_INDEX);
	uint32_t count = 0;

	for (uint32_t i = 0; i < rec->section[SECTION_STACK_INDEX].capacity;
	     i++)
		for (uint32_t at = head[i]; at; at = stack_at(rec, at)->next)
			count++;
	return count;
}

Test(stack_table, a_stack_reads_back_as_it_was_added)
{
	struct recording *rec = fixture_recording(1 << 20);
	const struct stack_record *stack =
		stack_at(rec, stack_table_add(rec, frames, 4));

	cr_assert_eq(stack->depth, 4);
	cr_assert_arr_eq(stack->frame, frames, sizeof(frames));
}

Test(stack_table, the_same_stack_is_kept_once)
{
	struct recording *rec = fixture_recording(1 << 20);
	uint32_t place = stack_table_add(rec, frames, 4);
	uint32_t used = rec->section[SECTION_STACKS].used;

	cr_assert_neq(place, 0);
	cr_assert_eq(stack_table_add(rec, frames, 4), place);
	cr_assert_eq(rec->section[SECTION_STACKS].used, used);
}

Test(stack_table, a_stack_and_its_beginning_are_two)
{
	struct recording *rec = fixture_recording(1 << 20);

	cr_assert_neq(stack_table_add(rec, frames, 4),
		      stack_table_add(rec, frames, 3));
}

Test(stack_table, stacks_with_one_hash_slot_are_told_apart)
{
	struct recording *rec = fixture_recording(1 << 20);
	uint32_t place[100];

	rec->section[SECTION_STACK_INDEX].capacity = 1;
	live_begin(rec);
	for (uint64_t i = 0; i < 100; i++)
		place[i] = stack_table_add(rec, &i, 1);
	for (uint64_t i = 0; i < 100; i++) {
		cr_assert_eq(stack_table_add(rec, &i, 1), place[i]);
		cr_assert_eq(stack_at(rec, place[i])->frame[0], i);
	}
}

Test(stack_table, a_full_table_keeps_what_it_has_and_counts_the_rest)
{
	struct recording *rec = fixture_recording(1 << 20);
	uint32_t capacity = (uint32_t)(1 + 2 * STACK_RECORD_WORDS(4));
	uint64_t other[4] = { 1, 2, 3, 4 };
	uint32_t place;

	rec->section[SECTION_STACKS].capacity = capacity;
	live_begin(rec);
	place = stack_table_add(rec, frames, 4);
	cr_assert_neq(stack_table_add(rec, other, 4), 0);
	for (uint64_t i = 0; i < 10; i++)
		cr_assert_eq(stack_table_add(rec, &i, 1), 0);
	cr_assert_eq(fixture_lost(LOST_STACK), 10);
	/* What is lost must not make the counter run on until it wraps. */
	cr_assert_eq(rec->section[SECTION_STACKS].used, capacity);
	cr_assert_eq(stack_table_add(rec, frames, 4), place);
}

/* In the file, where somebody else may have written it. */
Test(stack_table, a_chain_that_is_a_ring_or_leads_out_is_left)
{
	struct recording *rec = fixture_recording(1 << 20);
	const uint32_t leads_to[] = { 0, UINT32_MAX };
	uint32_t place = stack_table_add(rec, frames, 4);

	rec->section[SECTION_STACK_INDEX].capacity = 1;
	live_begin(rec);
	for (uint32_t i = 0; i < ARRAY_SIZE(leads_to); i++) {
		uint32_t *head = section_records(rec, SECTION_STACK_INDEX);
		struct stack_record *stack =
			section_records(rec, SECTION_STACKS);

		*head = place;
		stack = (void *)((uint64_t *)stack + place);
		stack->next = leads_to[i] ? leads_to[i] : place;
		cr_assert_eq(stack_table_add(rec, frames, 4), place);
		cr_assert_neq(stack_table_add(rec, frames, 2 + i), 0);
	}
}

Test(stack_table, no_frames_are_read_that_are_not_there)
{
	struct recording *rec = fixture_recording(1 << 20);
	uint32_t place = stack_table_add(rec, frames, 4);
	uint64_t *arena = section_records(rec, SECTION_STACKS);
	struct stack_record *stack = (void *)&arena[place];

	cr_assert_eq(stack_table_frames(rec, place).depth, 4);
	stack->depth = MAX_DEPTH + 1;
	cr_assert_eq(stack_table_frames(rec, place).depth, 0);
	cr_assert_eq(stack_table_frames(rec, UINT32_MAX).depth, 0);
	cr_assert_eq(stack_table_frames(rec, 0).depth, 0);
}

struct adder {
	pthread_t thread;
	struct recording *recording;
	pthread_barrier_t *start;
	uint32_t place[STACKS];
};

/* Every thread adds the same stacks, in the same order, at the same time. */
static void *add_all(void *argument)
{
	struct adder *adder = argument;

	pthread_barrier_wait(adder->start);
	for (unsigned i = 0; i < STACKS; i++) {
		uint64_t stack[3] = { i, i / 2, i / 3 };

		adder->place[i] = stack_table_add(adder->recording, stack, 3);
	}
	return NULL;
}

Test(stack_table, threads_agree_on_where_a_stack_is)
{
	static struct adder adder[THREADS];
	struct recording *rec = fixture_recording(1 << 20);
	pthread_barrier_t start;

	/* Long chains, so that the threads meet at the heads. */
	rec->section[SECTION_STACK_INDEX].capacity = 4;
	live_begin(rec);
	pthread_barrier_init(&start, NULL, THREADS);
	for (unsigned i = 0; i < THREADS; i++) {
		adder[i].recording = rec;
		adder[i].start = &start;
		pthread_create(&adder[i].thread, NULL, add_all, &adder[i]);
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(adder[i].thread, NULL);
	for (unsigned i = 0; i < STACKS; i++)
		for (unsigned j = 0; j < THREADS; j++)
			cr_assert_eq(adder[j].place[i], adder[0].place[i]);
	cr_assert_eq(count_stacks(rec), STACKS);
}
