/*
 * The lengths of runs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/loops/run_length.h"

#include "base/atomic.h"
#include "sigsafe/live.h"

static void take_histogram(struct thread *self)
{
	struct recording *rec = self->recording;
	struct section *section = &rec->section[SECTION_HISTOGRAMS];
	struct histogram *table = live_records(rec, SECTION_HISTOGRAMS);
	uint32_t index = load_relaxed(&section->used);

	/* Relaxed: whoever gets an index has the histogram to himself. */
	if (index < live_capacity(SECTION_HISTOGRAMS))
		index = add_relaxed(&section->used, 1);
	if (index >= live_capacity(SECTION_HISTOGRAMS)) {
		live_count_lost(LOST_HISTOGRAM);
		return;
	}
	self->loop->histogram = &table[index];
	store_relaxed(&self->record->histogram, index + 1);
}

static void enter(struct thread *self, uint64_t run_ns)
{
	if (self->loop->histogram && run_ns >= HISTOGRAM_LEAST_NS)
		histogram_add(self->loop->histogram, run_ns);
}

void run_length_note(struct thread *self, uint64_t run_ns)
{
	struct thread_record *record = self->record;
	uint64_t longest_ns = record->longest_run_ns;
	bool is_first = record->waits < 2;

	/* Until now there was one run: the longest. */
	if (!self->plain_ns && !is_first) {
		take_histogram(self);
		enter(self, longest_ns);
	}
	enter(self, run_ns);
	if (run_ns > longest_ns) {
		longest_ns = run_ns;
		store_relaxed(&record->longest_run_ns, run_ns);
	}
	if (!is_first)
		self->plain_ns = min_u64(longest_ns + 1, HISTOGRAM_LEAST_NS);
}
