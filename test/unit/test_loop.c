/*
 * Unit tests: sigsafe/loops/loop.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <sys/resource.h>

#include "machine_fixture.h"
#include "recording_fixture.h"
#include "setup/layout.h"
#include "sigsafe/live.h"
#include "sigsafe/record/events.h"
#include "sigsafe/thread.h"

static struct recording *rec;

static void make(void)
{
	rec = fixture_recording(MIN_RECORDING_BYTES);
	live_header.thresholds.others_ns = NS_PER_S;
	cr_assert_eq(pthread_key_create(&thread_key, NULL), 0);
}

TestSuite(loop, .init = make);

static struct thread_record *records(void)
{
	return section_records(rec, SECTION_THREADS);
}

/* Maps nothing any more. */
static void forbid_memory(void)
{
	const struct rlimit none = { 0, RLIM_INFINITY };

	cr_assert_eq(setrlimit(RLIMIT_AS, &none), 0);
}

static void allow_memory(void)
{
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };

	cr_assert_eq(setrlimit(RLIMIT_AS, &all), 0);
}

Test(loop, each_record_has_a_place_of_its_own)
{
	uint32_t last = live_capacity(SECTION_THREADS) - 1;
	struct loop *first = loop_clear(0);

	cr_assert_not_null(first);
	first->log_next_ns = 1;
	for (uint32_t i = 1; i <= last; i++) {
		cr_assert_eq(loop_clear(i), first + i);
		first[i].log_next_ns = 1 + i;
	}
	cr_assert_eq(first->log_next_ns, 1);
	cr_assert_eq(first[last].log_next_ns, 1 + last);
}

Test(loop, of_who_had_a_place_before_nothing_is_left)
{
	struct loop *loop = loop_clear(0);

	loop->samples = 1;
	loop->blocked_ns = NS_PER_S;
	cr_assert_eq(loop_clear(0), loop);
	cr_assert_eq(loop->samples, 0);
	cr_assert_eq(loop->blocked_ns, 0);
}

Test(loop, a_thread_has_the_place_of_its_record_to_its_end)
{
	thread_enrol(&thread_self);
	cr_assert_eq(thread_self.record, records());
	cr_assert_eq(thread_self.loop, loop_clear(0));
	thread_end(&thread_self);
	cr_assert_null(thread_self.loop);
	cr_assert_eq(records()->state, THREAD_FREE);
}

/* It has the place of whoever has claimed the child's record first. */
Test(loop, a_thread_of_the_parent_touches_no_place_in_a_child)
{
	struct lock_record lock = { .kind = LOCK_MUTEX, .stall = 1 };
	struct loop *loop = loop_clear(0);

	thread_enrol(&thread_self);
	cr_assert_eq(thread_self.loop, loop);
	thread_self.run_begun_ns = 1;
	rec = fixture_recording(MIN_RECORDING_BYTES);
	loop->event.begun_ns = 1;
	event_waits_no_more(&lock);
	cr_assert_eq(lock.stall, 1);
	evidence_lock_end(&lock, 0, NS_PER_S);
	cr_assert_eq(loop->slice.run_ns, 0);
	cr_assert_eq(loop->slice.wait_ns[CAUSE_LOCK], 0);
}

Test(loop, where_there_is_no_memory_a_thread_goes_unwatched)
{
	NOT_EMULATED(NO_LIMIT);
	forbid_memory();
	thread_enrol(&thread_self);
	allow_memory();
	cr_assert_null(thread_self.record);
	cr_assert_null(thread_self.loop);
	cr_assert_eq(records()->state, THREAD_FREE);
	cr_assert_eq(fixture_lost(LOST_THREAD), 1);
	cr_assert_eq(rec->section[SECTION_THREADS].used, 0);
}
