/*
 * The lengths of runs: when a thread gets its histogram, and what is in it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "base/loops.h"
#include "recording_fixture.h"
#include "setup/layout.h"
#include "sigsafe/loops/run.h"
#include "sigsafe/loops/run_length.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/freeze.h"

static struct recording *rec;
static struct thread_record record;
static struct thread self;
static struct loop loop;

static void make(void)
{
	rec = fixture_recording(MIN_RECORDING_BYTES);
	self.recording = rec;
	self.record = &record;
	self.loop = &loop;
}

TestSuite(run_length, .init = make);

/* As the watch does it. */
static void run(uint64_t run_ns)
{
	record.waits++;
	if (run_ns >= self.plain_ns)
		run_length_note(&self, run_ns);
}

static uint64_t percentile(enum percentile which)
{
	return run_lengths_of(rec, &record).ns[which];
}

Test(run_length, a_thread_that_ran_once_has_no_histogram)
{
	run(NS_PER_MS);
	cr_assert_eq(record.histogram, 0);
	cr_assert_eq(rec->section[SECTION_HISTOGRAMS].used, 0);
	cr_assert_eq(record.longest_run_ns, NS_PER_MS);
}

Test(run_length, the_first_run_is_in_it_once_there_is_one)
{
	run(NS_PER_S);
	run(NS_PER_MS);
	cr_assert_eq(record.histogram, 1);
	cr_assert_float_eq((double)percentile(PERCENTILE_50), 1e6, 1e4);
	cr_assert_float_eq((double)percentile(PERCENTILE_99), 1e9, 1e7);
}

Test(run_length, the_longest_is_exact_however_short)
{
	static const uint64_t runs_ns[] = {
		90, 70, 101, 100, 511, 512, 7, 600
	};
	uint64_t longest_ns = 0;

	for (size_t i = 0; i < ARRAY_SIZE(runs_ns); i++) {
		run(runs_ns[i]);
		longest_ns = max_u64(longest_ns, runs_ns[i]);
		cr_assert_eq(record.longest_run_ns, longest_ns);
	}
}

Test(run_length, a_loop_of_short_runs_is_left_alone)
{
	run(100);
	run(100);
	cr_assert_gt(self.plain_ns, 100);
	cr_assert_leq(self.plain_ns, HISTOGRAM_LEAST_NS);
}

Test(run_length, a_loop_for_which_there_is_no_room_is_counted_once)
{
	struct section *section = &rec->section[SECTION_HISTOGRAMS];

	section->used = section->capacity;
	for (int i = 0; i < 10; i++)
		run(NS_PER_MS);
	cr_assert_eq(fixture_lost(LOST_HISTOGRAM), 1);
	cr_assert_eq(section->used, section->capacity);
	cr_assert_not(run_lengths_of(rec, &record).is_known);
	cr_assert_eq(record.longest_run_ns, NS_PER_MS);
}

Test(run_length, each_loop_has_a_histogram_of_its_own)
{
	uint32_t first;

	run(NS_PER_MS);
	run(NS_PER_MS);
	first = record.histogram;
	record = (struct thread_record){ 0 };
	self.plain_ns = 0;
	loop.histogram = NULL;
	run(NS_PER_S);
	run(NS_PER_S);
	cr_assert_neq(record.histogram, first);
	cr_assert_float_eq((double)percentile(PERCENTILE_50), 1e9, 1e7);
}

/* Others have summed up by then: what is added would be in half of it. */
Test(run_length, no_run_begins_in_a_frozen_recording)
{
	thread_self = self;
	thread_self.stall_ns = FOR_EVER_NS;
	run_begin(1);
	run_end(CALL_POLL);
	cr_assert_eq(record.waits, 1);
	freeze(rec);
	run_begin(1);
	cr_assert_eq(record.waits, 1);
	cr_assert_eq(thread_self.run_begun_ns, 0);
}
