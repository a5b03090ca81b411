/*
 * The unlocker's side of contention: what it is charged, with the sums and
 * samples that follow from it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/locks/contention.h"

#include <string.h>

#include "base/law.h"
#include "sigsafe/live.h"
#include "sigsafe/locks/go_rule.h"
#include "sigsafe/locks/ledger.h"
#include "sigsafe/locks/lock_table.h"
#include "sigsafe/locks/owed.h"
#include "sigsafe/locks/sleepers.h"
#include "sigsafe/os/freeze.h"
#include "sigsafe/record/events.h"
#include "sigsafe/record/samples.h"
#include "sigsafe/record/sampling.h"
#include "sigsafe/stacks/stack_touch.h"
#include "sigsafe/thread.h"
#include "sigsafe/walk/stack.h"

uint32_t contention_waiters[WAITER_BUCKETS];

/* The record of a lock that somebody waits for, or NULL. Pinned. */
static struct lock_record *find_busy(struct recording *rec, const void *address)
{
	struct lock_record *lock = lock_find(rec, address);

	/* Others in the bucket may be waited for, and this one not. */
	if (!lock || (ledger_is_idle(&lock->ledger) && !owed_any(lock)))
		return NULL;
	return lock_pin(lock, address) ? lock : NULL;
}

static void barge(const void *address, int32_t holder,
		  uint64_t (*in)(struct ledger *))
{
	struct recording *rec = live_recording();
	struct lock_record *lock = rec ? find_busy(rec, address) : NULL;

	if (!lock)
		return;
	if (freeze_enter(rec)) {
		if (lock->kind != LOCK_SEMAPHORE)
			store_relaxed(&lock->holder, holder);
		add_relaxed(&lock->handoff_ns, in(&lock->ledger));
		freeze_leave(rec);
	}
	lock_unpin(lock);
}

void contention_barged(const void *address)
{
	/* As in contention_wait_begin(). */
	if (live_recording())
		barge(address, thread_identify()->tid, ledger_barged);
}

void contention_barged_shared(const void *address)
{
	struct recording *rec = live_recording();
	const struct lock_record *lock = rec ? lock_find(rec, address) : NULL;

	/* Mostly the lock has been shared before: then there is no more to do.
	 */
	if (lock && !ledger_is_shared(&lock->ledger))
		barge(address, 0, ledger_barged_shared);
}

/* Relaxed, here and below: as in enter(). */
static void charge(struct lock_record *lock, struct ledger_charge charge)
{
	int32_t tid = thread_identify()->tid;

	add_relaxed(&lock->charged_ns, charge.ns);
	add_relaxed(&lock->charges, 1);
	max_relaxed(&lock->largest_charge_ns, charge.ns);
	max_relaxed(&lock->longest_hold_ns, charge.held_ns);
	if (load_relaxed(&lock->last_charged) == tid)
		return;
	store_relaxed(&lock->last_charged, tid);
	add_relaxed(&lock->holder_changes, 1);
}

struct contention contention_settle(const void *address)
{
	struct contention caused = { .recording = NULL };
	struct recording *rec = live_recording();
	struct ledger_charge due;
	struct lock_record *lock;
	uint32_t owed;

	if (!rec)
		return caused;
	stack_touch(TOUCH_LOCK_BYTES);
	lock = find_busy(rec, address);
	if (!lock || !freeze_enter(rec))
		return caused;
	/* Acquire pairs with owed_add(): what is owed is in the ledger. */
	owed = load_acquire(&lock->owed);
	due = ledger_settle(&lock->ledger);
	owed_pay(lock, address, owed);
	store_relaxed(&lock->holder, 0);
	if (due.ns) {
		charge(lock, due);
		caused.recording = rec;
		caused.lock = lock;
		caused.stall = event_take_waiting(lock);
		caused.caused_ns =
			live_header.charges_like_go
				? go_rule_settle(&lock->go, due.at_ns)
				: due.ns;
	} else {
		lock_unpin(lock);
	}
	freeze_leave(rec);
	return caused;
}

static void record(const struct contention *caused, const void *caller)
{
	struct recording *rec = caused->recording;
	struct weight weight =
		sampling_weigh(caused->caused_ns, live_header.rate_ns);
	struct sample sample = { .kind = law_profile_of(caused->lock->kind),
				 .lock = lock_index(rec, caused->lock) };

	bool is_taken = weight.events && caused->caused_ns;

	if (caused->stall ||
	    (is_taken && caused->caused_ns >= live_header.min_wait_ns))
		sample.stack = stack_capture(NULL, caller);
	if (unlikely(caused->stall))
		event_released(rec, caused->lock, caused->stall, sample.stack);
	if (is_taken)
		sample_add(rec, sample, weight.ns, weight.events);
}

void contention_record(const struct contention *caused, const void *caller)
{
	record(caused, caller);
	lock_unpin(caused->lock);
}

void contention_forget(const void *address)
{
	struct recording *rec = live_recording();
	struct lock_record *lock = rec ? lock_find(rec, address) : NULL;

	if (!lock || !lock_pin(lock, address))
		return;
	lock_retire(lock, address);
	lock_unpin(lock);
}

void contention_reset(void)
{
	memset(contention_waiters, 0, sizeof(contention_waiters));
	thread_self.identity.tid = 0;
	lock_table_reset();
	sleepers_reset();
}
