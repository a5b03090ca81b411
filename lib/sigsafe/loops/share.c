/*
 * The shares of a stall.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/loops/share.h"

#include "base/atomic.h"
#include "sigsafe/locks/lock_others.h"
#include "sigsafe/locks/lock_table.h"
#include "sigsafe/loops/run_samples.h"
#include "sigsafe/record/events.h"

/*
 * The record of the lock it waited for most with this cause, pinned; NULL: it
 * has lost it to another lock since, or no wait of the slice was kept.
 */
static struct lock_record *pin_lock(struct recording *rec,
				    struct slice_end *end, enum cause cause)
{
	const struct lock_cost *most = lock_costs_most(&end->waits, cause);

	return most ? lock_pin_of_kind(rec, most->held.address, most->held.kind)
		    : NULL;
}

/* The record of the others of the kind it waited for most with this cause. */
static struct lock_record *others_of(struct recording *rec,
				     struct slice_end *end, enum cause cause)
{
	const struct lock_cost *most = lock_costs_most(&end->waits, cause);
	uint32_t kind = most ? most->held.kind : 0;

	while (cause_of_wait(kind) != cause)
		kind++;
	return lock_others(rec, kind);
}

/*
 * The call that its stack is in. If that is in none, the one that it was
 * blocked in for most of the time that it was blocked at all.
 */
static uint32_t call_of(const struct slice_end *end, uint64_t blocked_ns)
{
	if (end->own_call)
		return end->own_call;
	return blocked_ns / 2 > end->evidence.blocked_ns ? end->other_call
							 : end->longest_call;
}

static uint32_t cause_word(struct recording *rec, enum cause cause,
			   struct slice_end *end, struct lock_record *lock,
			   uint64_t ns)
{
	if (cause == CAUSE_BLOCKED)
		return CAUSE_WORD(cause, call_of(end, ns));
	if (!cause_has_lock(cause))
		return CAUSE_WORD(cause, 0);
	if (!lock)
		lock = others_of(rec, end, cause);
	return CAUSE_WORD(cause, lock_index(rec, lock));
}

/* Of a tick, each cause that has a part in it counts it. */
static void add_samples(struct thread *self, struct slice_end *end,
			const struct causes *causes, bool is_tick)
{
	struct recording *rec = self->recording;

	for (unsigned i = 0; i < CAUSE_COUNT; i++) {
		struct sample sample = { .kind = SAMPLE_STALL,
					 .stack = self->loop->stack };
		struct lock_record *lock;

		if (!causes->ns[i])
			continue;
		lock = pin_lock(rec, end, i);
		sample.lock = cause_word(rec, i, end, lock, causes->ns[i]);
		run_samples_add(self, sample, causes->ns[i], is_tick, lock);
		if (lock)
			lock_unpin(lock);
	}
}

/* Relaxed: only this thread writes it, and a reader takes each by itself. */
static void tell_record(struct thread *self)
{
	struct thread_record *record = self->record;

	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		store_relaxed(&record->run_cause_ns[i],
			      self->loop->event.cause_ns[i]);
	store_relaxed(&record->run_shared_ns, self->shared_ns);
}

void share_until(struct thread *self, uint64_t now_ns, bool is_tick)
{
	struct slice_end end = evidence_take(self, now_ns);
	struct causes causes = causes_of(&end.evidence);

	self->shared_ns = now_ns;
	add_samples(self, &end, &causes, is_tick);
	event_explain(self, &end, &causes);
	tell_record(self);
}
