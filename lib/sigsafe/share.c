/*
 * The shares of a stall.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/share.h"

#include "base/atomic.h"
#include "sigsafe/events.h"
#include "sigsafe/lock_others.h"
#include "sigsafe/lock_table.h"
#include "sigsafe/run_samples.h"

/*
 * The record of the lock it waited for, pinned; NULL: it has lost it to another
 * lock since. A lock that is still waited for has it pinned anyway.
 */
static struct lock_record *pin_lock(struct recording *rec,
				    const struct slice_end *end)
{
	struct lock_record *lock = end->lock ? lock_find(rec, end->lock) : NULL;

	return lock && lock_pin(lock, end->lock) ? lock : NULL;
}

static uint32_t lock_detail(struct recording *rec, const struct slice_end *end,
			    struct lock_record *lock)
{
	if (!lock)
		lock = lock_others(rec, end->evidence.lock_kind);
	return lock_index(rec, lock);
}

static uint32_t cause_word(struct recording *rec, enum cause cause,
			   const struct slice_end *end,
			   struct lock_record *lock)
{
	if (cause_has_lock(cause))
		return CAUSE_WORD(cause, lock_detail(rec, end, lock));
	return CAUSE_WORD(cause, cause == CAUSE_BLOCKED ? end->call : 0);
}

/* Of a tick, each cause that has a part in it counts it. */
static void add_samples(struct thread *self, const struct slice_end *end,
			const struct causes *causes, struct lock_record *lock,
			bool is_tick)
{
	struct recording *rec = self->recording;

	for (unsigned i = 0; i < CAUSE_COUNT; i++) {
		struct sample sample = { .kind = SAMPLE_STALL,
					 .stack = self->stack };

		if (!causes->ns[i])
			continue;
		sample.lock = cause_word(rec, i, end, lock);
		run_samples_add(self, sample, causes->ns[i], is_tick,
				cause_has_lock(i) ? lock : NULL);
	}
}

/* Relaxed: only this thread writes it, and a reader takes each by itself. */
static void tell_record(struct thread *self)
{
	struct thread_record *record = self->record;

	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		store_relaxed(&record->run_cause_ns[i],
			      self->event.cause_ns[i]);
	store_relaxed(&record->run_shared_ns, self->shared_ns);
}

void share_until(struct thread *self, uint64_t now_ns, bool is_tick)
{
	struct slice_end end = evidence_take(self, now_ns);
	struct causes causes = causes_of(&end.evidence);
	struct lock_record *lock = pin_lock(self->recording, &end);

	self->shared_ns = now_ns;
	add_samples(self, &end, &causes, lock, is_tick);
	event_explain(self, &end, &causes, lock);
	tell_record(self);
	if (lock)
		lock_unpin(lock);
}
