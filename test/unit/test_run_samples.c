/*
 * The samples of runs: in the profile once they come back, nowhere if they
 * leave.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "recording_fixture.h"
#include "setup/layout.h"
#include "sigsafe/locks/lock_table.h"
#include "sigsafe/loops/run_samples.h"

static struct recording *rec;
static struct thread self;

static void make(void)
{
	rec = fixture_recording(MIN_RECORDING_BYTES);
	self = fixture_thread(rec);
}

TestSuite(run_samples, .init = make);

static const struct sample on_cpu = {
	.kind = SAMPLE_STALL,
	.lock = CAUSE_WORD(CAUSE_CPU, 0),
	.stack = 8,
};

static void add(struct sample sample, uint64_t ns)
{
	run_samples_add(&self, sample, ns, 1, NULL);
}

Test(run_samples, are_of_no_stall_until_their_run_comes_back)
{
	struct sample other = on_cpu;

	other.stack = 16;
	add(on_cpu, 10);
	add(other, 200);
	add(on_cpu, 30);
	cr_assert_eq(fixture_sampled_ns(SAMPLE_STALL), 0);
	cr_assert_eq(fixture_sampled_ns(SAMPLE_RUNNING), 240);
	cr_assert_eq(rec->section[SECTION_SAMPLES].used, 2);
	run_samples_keep(&self);
	cr_assert_eq(fixture_sampled_ns(SAMPLE_STALL), 240);
	cr_assert_eq(fixture_sampled_ns(SAMPLE_RUNNING), 0);
	cr_assert_eq(rec->section[SECTION_SAMPLES].used, 2);
}

Test(run_samples, the_largest_slice_stays_the_largest)
{
	const struct sample_record *s = section_records(rec, SECTION_SAMPLES);

	add(on_cpu, 10);
	add(on_cpu, 30);
	run_samples_keep(&self);
	while (SAMPLE_KIND(s->key) != SAMPLE_STALL)
		s++;
	cr_assert_eq(s->total_ns, 40);
	cr_assert_eq(s->count, 2);
	cr_assert_eq(s->max_ns, 30);
}

Test(run_samples, of_a_run_that_leaves_are_nowhere)
{
	sample_add(rec, on_cpu, 5, 1);
	add(on_cpu, 10);
	run_samples_drop(&self);
	cr_assert_eq(fixture_sampled_ns(SAMPLE_STALL), 5);
	cr_assert_eq(fixture_sampled_ns(SAMPLE_RUNNING), 0);
	cr_assert_eq(rec->section[SECTION_SAMPLES].used, 1);
	/* And there is nothing left for the next run. */
	run_samples_keep(&self);
	cr_assert_eq(fixture_sampled_ns(SAMPLE_STALL), 5);
}

Test(run_samples, two_threads_in_the_same_code_have_their_own)
{
	struct thread other = self;

	other.record++;
	other.loop = loop_clear(1);
	add(on_cpu, 10);
	run_samples_add(&other, on_cpu, 200, 1, NULL);
	run_samples_drop(&other);
	cr_assert_eq(fixture_sampled_ns(SAMPLE_RUNNING), 10);
	run_samples_keep(&self);
	cr_assert_eq(fixture_sampled_ns(SAMPLE_STALL), 10);
}

Test(run_samples, what_is_discarded_is_taken_back_if_the_run_leaves)
{
	struct sample without_stack = on_cpu;

	without_stack.stack = 0;
	add(without_stack, 10);
	run_samples_keep(&self);
	add(without_stack, 200);
	cr_assert_eq(rec->discarded_ns[SAMPLE_STALL], 210);
	run_samples_drop(&self);
	cr_assert_eq(rec->discarded_ns[SAMPLE_STALL], 10);
	cr_assert_eq(rec->discarded[SAMPLE_STALL], 1);
}

Test(run_samples, pin_their_lock_until_their_run_is_over)
{
	static int mutex;
	struct lock_record *lock = lock_pin_or_make(rec, &mutex, LOCK_MUTEX);
	struct sample sample = on_cpu;

	sample.lock = CAUSE_WORD(CAUSE_LOCK, lock_index(rec, lock));
	run_samples_add(&self, sample, 10, 1, lock);
	run_samples_add(&self, sample, 20, 1, lock);
	lock_unpin(lock);
	cr_assert_eq(lock->pins, 1);
	run_samples_keep(&self);
	cr_assert_eq(lock->pins, 0);
	cr_assert_neq(lock->samples, 0, "it can take them along");
	cr_assert_eq(fixture_sampled_ns(SAMPLE_STALL), 30);
}

Test(run_samples, without_room_nothing_is_lost_of_the_sum)
{
	struct sample sample = on_cpu;
	uint32_t n = rec->section[SECTION_SAMPLES].capacity + 100;

	for (uint32_t i = 0; i < n; i++) {
		sample.stack = 8 + i;
		add(sample, 1);
	}
	cr_assert_eq(fixture_sampled_ns(SAMPLE_RUNNING) +
			     rec->discarded_ns[SAMPLE_STALL],
		     n);
	run_samples_keep(&self);
	cr_assert_eq(fixture_sampled_ns(SAMPLE_STALL) +
			     rec->discarded_ns[SAMPLE_STALL],
		     n);
}
