/*
 * The table of the longest stalls, and what is missing in the timeline.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/timeline.h"
#include "recording_fixture.h"
#include "setup/layout.h"
#include "sigsafe/record/longest.h"

#define THREADS	   4
#define PER_THREAD 20000

static struct recording *rec;
static uint32_t capacity;

static void make(void)
{
	rec = fixture_recording(MIN_RECORDING_BYTES);
	capacity = rec->section[SECTION_LONGEST].capacity;
}

TestSuite(longest, .init = make);

static struct longest_record *table(void)
{
	return section_records(rec, SECTION_LONGEST);
}

static uint32_t enter(uint64_t duration_ns, uint32_t number)
{
	struct event_record event = {
		.begun_ns = 1,
		.duration_ns = duration_ns,
		.stamp = number,
		.state = RUN_CAME_BACK,
	};
	uint32_t place = 0;

	longest_enter(rec, &event, &place);
	return place;
}

static bool has(uint64_t duration_ns)
{
	for (uint32_t i = 0; i < capacity; i++) {
		if (table()[i].event.begun_ns &&
		    table()[i].event.duration_ns == duration_ns)
			return true;
	}
	return false;
}

Test(longest, keeps_the_longest_of_many)
{
	uint32_t many = 10000;

	/* In an order that is neither up nor down: 7919 is a prime. */
	for (uint32_t i = 0; i < many; i++)
		enter(1 + i * 7919u % many, i);
	for (uint32_t i = 0; i < capacity; i++)
		cr_assert(has(many - i), "%u of %u", many - i, many);
}

Test(longest, a_stall_that_goes_on_is_there_once)
{
	struct event_record event = { .begun_ns = 5 };
	uint32_t place = 0, found = 0;

	for (event.duration_ns = 1; event.duration_ns < 1000;
	     event.duration_ns++)
		longest_enter(rec, &event, &place);
	for (uint32_t i = 0; i < capacity; i++)
		found += table()[i].event.begun_ns != 0;
	cr_assert_eq(found, 1);
	cr_assert(has(999));
}

Test(longest, a_stall_that_was_driven_out_comes_back_when_it_is_long)
{
	struct event_record event = { .begun_ns = 5 };
	uint32_t place = 0;

	event.duration_ns = 1;
	longest_enter(rec, &event, &place);
	cr_assert_neq(place, 0);
	for (uint32_t i = 0; i < capacity; i++)
		enter(100, i + 1);
	cr_assert_not(has(1));
	event.duration_ns = 50;
	longest_enter(rec, &event, &place);
	cr_assert_not(has(50));
	event.duration_ns = 150;
	longest_enter(rec, &event, &place);
	cr_assert(has(150));
}

Test(longest, a_record_that_is_claimed_for_ever_stops_nobody)
{
	table()[0].claimed = 1;
	for (uint32_t i = 0; i < 3 * capacity; i++)
		enter(i + 1, i);
	for (uint32_t i = 0; i < capacity - 1; i++)
		cr_assert(has(3 * capacity - i));
}

Test(longest, what_is_in_ring_and_table_is_not_missing_twice)
{
	struct section *ring = &rec->section[SECTION_EVENTS];

	ring->used = ring->capacity;
	enter(NS_PER_S, 0);
	cr_assert_eq(timeline_missing(rec), 0);
	cr_assert_not(timeline_is_only(rec, 0));
	/* Number 0 leaves the ring, but is among the longest. */
	ring->used++;
	cr_assert_eq(timeline_missing(rec), 0);
	cr_assert(timeline_is_only(rec, 0));
	ring->used++;
	cr_assert_eq(timeline_missing(rec), 1);
}

Test(longest, what_is_there_twice_counts_once)
{
	struct section *ring = &rec->section[SECTION_EVENTS];

	enter(NS_PER_S, 0);
	table()[1] = table()[0];
	ring->used = ring->capacity + 3;
	cr_assert_eq(timeline_missing(rec), 2);
}

/* Each thread's stalls have lengths of their own, and grow. */
static void *enter_many(void *argument)
{
	uint32_t first = (uint32_t)(uintptr_t)argument;

	for (uint32_t i = 0; i < PER_THREAD; i++) {
		uint32_t number = first + THREADS * i;
		struct event_record event = {
			.begun_ns = number + 1,
			.duration_ns = (number + 1) / 2,
			.tid = (int32_t)first,
			.stamp = number,
		};
		uint32_t place = 0;

		longest_enter(rec, &event, &place);
		event.duration_ns = number + 1;
		event.state = RUN_CAME_BACK;
		longest_enter(rec, &event, &place);
	}
	return NULL;
}

Test(longest, threads_that_enter_at_once_mix_nothing_up)
{
	pthread_t thread[THREADS];
	uint32_t longest = THREADS * PER_THREAD, found = 0;

	for (uintptr_t i = 0; i < THREADS; i++)
		cr_assert_eq(
			pthread_create(&thread[i], NULL, enter_many, (void *)i),
			0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (uint32_t i = 0; i < capacity; i++) {
		const struct event_record *event = &table()[i].event;

		cr_assert_eq(table()[i].claimed, 0);
		cr_assert_eq(event->begun_ns, event->stamp + 1);
		cr_assert_eq(event->tid, event->stamp % THREADS);
		found += event->duration_ns > longest - capacity;
	}
	/* Who is always outrun by others may be left out. */
	cr_assert_geq(found, capacity / 2);
}
