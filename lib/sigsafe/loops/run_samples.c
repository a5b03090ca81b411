/*
 * The samples of runs: a list for each thread, linked by their indices, of
 * places in SECTION_SAMPLES that lie wherever there was room.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/loops/run_samples.h"

#include "base/atomic.h"
#include "sigsafe/live.h"
#include "sigsafe/locks/lock_table.h"

struct sample_record *run_samples_at(const struct thread *self, uint32_t number)
{
	struct sample_record *table =
		live_records(self->recording, SECTION_SAMPLES);

	return number && number <= live_capacity(SECTION_SAMPLES)
		       ? &table[number - 1]
		       : NULL;
}

/* Looks no further than there are samples: the list may be a ring by now. */
static struct sample_record *find(const struct thread *self, uint64_t key)
{
	struct sample_record *record =
		run_samples_at(self, self->loop->samples);
	uint32_t left = live_capacity(SECTION_SAMPLES);

	for (; record && record->key != key; left--)
		record = left ? run_samples_at(self, record->next) : NULL;
	return record;
}

/* Pinned once more, for as long as the sample is there. */
static void pin(struct lock_record *lock)
{
	add_seq_cst(&lock->pins, 1);
}

static struct sample_record *make(struct thread *self, uint64_t key,
				  struct lock_record *pinned)
{
	struct recording *rec = self->recording;
	struct sample_record *table = live_records(rec, SECTION_SAMPLES);
	const struct thread_record *threads =
		live_records(rec, SECTION_THREADS);
	struct sample_record *record = sample_take_place(rec, key);

	if (!record)
		return NULL;
	if (pinned)
		pin(pinned);
	store_relaxed(&record->thread, (uint32_t)(self->record - threads));
	record->next = self->loop->samples;
	self->loop->samples = (uint32_t)(record - table) + 1;
	return record;
}

/* Where there is no sample the time is discarded, and taken back if need be. */
static void discard(struct thread *self, struct sample sample, uint64_t ns,
		    uint64_t events)
{
	sample.stack = 0;
	sample_add(self->recording, sample, ns, events);
	self->loop->discarded += events;
	self->loop->discarded_ns += ns;
}

void run_samples_add(struct thread *self, struct sample sample, uint64_t ns,
		     uint64_t events, struct lock_record *pinned)
{
	uint64_t key = SAMPLE_KEY(SAMPLE_RUNNING, sample.lock, sample.stack);
	struct sample_record *record = NULL;

	if (sample.stack) {
		record = find(self, key);
		if (!record)
			record = make(self, key, pinned);
		if (!record)
			live_count_lost(LOST_SAMPLE);
	}
	if (record)
		sample_add_to(record, ns, events, ns);
	else
		discard(self, sample, ns, events);
}

static void keep(struct recording *rec, const struct sample_record *record)
{
	uint64_t key = load_relaxed(&record->key);
	const struct sample sample = {
		.kind = SAMPLE_STALL,
		.lock = SAMPLE_LOCK(key),
		.stack = SAMPLE_STACK(key),
	};

	sample_add_up(rec, sample, record->total_ns, record->count,
		      record->max_ns);
}

/* The lock that the sample has pinned, or NULL. */
static struct lock_record *pinned_by(struct recording *rec,
				     const struct sample_record *record)
{
	struct lock_record *lock = live_records(rec, SECTION_LOCKS);
	uint32_t cause = SAMPLE_LOCK(load_relaxed(&record->key));

	lock += CAUSE_DETAIL(cause);
	return cause_has_lock(CAUSE_OF(cause)) &&
			       CAUSE_DETAIL(cause) <
				       live_capacity(SECTION_LOCKS) &&
			       load_relaxed(&lock->key) != LOCK_OTHERS
		       ? lock
		       : NULL;
}

/* Takes all of them out of the list: by one each, a handler may come. */
static void settle(struct thread *self, bool has_come_back)
{
	uint32_t left = live_capacity(SECTION_SAMPLES);
	struct sample_record *record;

	for (; left && (record = run_samples_at(self, self->loop->samples));
	     left--) {
		struct lock_record *lock = pinned_by(self->recording, record);

		self->loop->samples = record->next;
		if (has_come_back)
			keep(self->recording, record);
		sample_give_place_back(self->recording, record);
		if (lock)
			lock_unpin(lock);
	}
	/* A ring: what is in it is lost. */
	if (!left)
		self->loop->samples = 0;
	self->loop->discarded = 0;
	self->loop->discarded_ns = 0;
}

void run_samples_keep(struct thread *self)
{
	settle(self, true);
}

void run_samples_drop(struct thread *self)
{
	struct recording *rec = self->recording;

	if (self->loop->discarded_ns) {
		add_relaxed(&rec->discarded[SAMPLE_STALL],
			    -self->loop->discarded);
		add_relaxed(&rec->discarded_ns[SAMPLE_STALL],
			    -self->loop->discarded_ns);
	}
	settle(self, false);
}
