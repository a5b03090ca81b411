/*
 * Contention: the waiter's side and the unlocker's side of the ledger, with
 * the sums and samples that follow from them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/contention.h"

#include <string.h>

#include "base/law.h"
#include "sigsafe/freeze.h"
#include "sigsafe/go_rule.h"
#include "sigsafe/ledger.h"
#include "sigsafe/live.h"
#include "sigsafe/lock_table.h"
#include "sigsafe/owed.h"
#include "sigsafe/samples.h"
#include "sigsafe/sampling.h"
#include "sigsafe/sleepers.h"
#include "sigsafe/stack.h"
#include "sigsafe/thread.h"
#include "sigsafe/waiters.h"

uint32_t contention_waiters[WAITER_BUCKETS];

static void enter(struct lock_wait *wait, const struct thread_identity *who,
		  int32_t holder)
{
	struct lock_record *lock = wait->lock;
	uint64_t waiters;

	wait->start_ns = ledger_enter(&lock->ledger, &waiters);
	if (!wait->start_ns) {
		add_relaxed(&wait->recording->lost[LOST_LOCK], 1);
		wait->recording = NULL;
		lock_unpin(lock);
		return;
	}
	/* Relaxed: sums of their own; the law is read when none is in flight.
	 */
	add_relaxed(&lock->waits, 1);
	add_relaxed(&lock->waited_sum, -wait->start_ns);
	max_relaxed(&lock->most_waiters, waiters);
	/* Who held it when nobody waited may have let go of it unseen. */
	if (holder || waiters == 1)
		store_relaxed(&lock->holder, holder);
	if (wait->recording->charges_like_go)
		go_rule_enter(&lock->go, wait->start_ns);
	/* Before the real lock sleeps, so that the unlocker finds it. */
	add_seq_cst(contention_bucket(wait->address), 1);
	wait->waiter =
		waiter_enter(wait->recording, lock_index(wait->recording, lock),
			     wait->start_ns, who);
}

/* A lock in the heap has no name: the stack of its first wait tells which. */
static void keep_first_stack(struct lock_record *lock, uint32_t stack)
{
	uint32_t none = 0;

	if (!load_relaxed(&lock->first_stack))
		cas_acq_rel(&lock->first_stack, &none, stack);
}

/* We are going to sleep anyway: the walk delays nobody else. */
static void take_stack(struct lock_wait *wait)
{
	struct recording *rec = wait->recording;

	if (!rec->watches_waiters || rec->rate_ns)
		return;
	wait->stack = stack_capture(NULL, wait->caller);
	keep_first_stack(wait->lock, wait->stack);
	if (wait->waiter)
		store_relaxed(&wait->waiter->stack, wait->stack);
}

void contention_wait_begin_for(struct lock_wait *wait, struct lock lock,
			       const struct thread_identity *who)
{
	struct recording *rec = live_recording();

	*wait = (struct lock_wait){ .address = lock.address };
	if (!rec || !rec->watches_locks || !freeze_enter(rec))
		return;
	wait->lock = lock_pin_or_make(rec, lock.address, lock.kind);
	if (wait->lock) {
		wait->recording = rec;
		enter(wait, who, lock.holder);
	}
	freeze_leave(rec);
}

void contention_wait_begin(struct lock_wait *wait, struct lock lock,
			   const void *caller)
{
	contention_wait_begin_for(wait, lock, thread_identify());
	wait->caller = caller;
	if (wait->recording)
		take_stack(wait);
}

static struct ledger_leave leave(struct lock_wait *wait,
				 enum wait_outcome outcome)
{
	struct ledger *ledger = &wait->lock->ledger;

	switch (outcome) {
	case WAIT_ACQUIRED:
		store_relaxed(&wait->lock->holder, thread_identify()->tid);
		return ledger_acquired(ledger, wait->start_ns);
	case WAIT_GAVE_UP:
		return ledger_gave_up(ledger);
	case WAIT_WITHDRAWN:
		break;
	}
	return ledger_withdraw(ledger, wait->start_ns);
}

/* The wait's own sums. Returns how long it was. */
static uint64_t close_wait(struct lock_wait *wait, enum wait_outcome outcome)
{
	struct lock_record *lock = wait->lock;
	struct ledger_leave left = leave(wait, outcome);
	uint64_t waited_ns = left.until_ns - wait->start_ns;

	add_relaxed(&lock->waited_sum, left.until_ns);
	add_relaxed(&lock->handoff_ns, left.handoff_ns);
	max_relaxed(&lock->longest_wait_ns, waited_ns);
	store_relaxed(&wait->recording->latest_ns, left.until_ns);
	if (outcome == WAIT_GAVE_UP) {
		add_relaxed(&lock->timeouts, 1);
		owed_add(lock, wait->address);
	} else {
		sub_release(contention_bucket(wait->address), 1);
	}
	if (wait->recording->charges_like_go)
		(outcome == WAIT_ACQUIRED ? go_rule_acquired
					  : go_rule_gave_up)(&lock->go);
	return waited_ns;
}

static void record_wait(struct lock_wait *wait, uint64_t waited_ns)
{
	struct recording *rec = wait->recording;
	struct weight weight = sampling_weigh(waited_ns, rec->rate_ns);
	struct sample sample = { .kind = SAMPLE_WAIT,
				 .lock = lock_index(rec, wait->lock) };

	/* Waiting for a semaphore is often idleness. */
	if (!weight.events || !rec->watches_waiters ||
	    wait->lock->kind == LOCK_SEMAPHORE)
		return;
	/* Not taken yet: with a rate, or where it was woken to wait. */
	sample.stack =
		wait->stack ? wait->stack : stack_capture(NULL, wait->caller);
	sample_add(rec, sample, weight.ns, weight.events);
}

void contention_wait_end(struct lock_wait *wait, enum wait_outcome outcome)
{
	struct recording *rec = wait->recording;
	uint64_t waited_ns;

	/* A child that was forked meanwhile has no part in it. */
	if (!rec || rec != live_recording() || !freeze_enter(rec))
		return;
	waited_ns = close_wait(wait, outcome);
	if (outcome == WAIT_WITHDRAWN)
		add_relaxed(&wait->lock->waits, -UINT64_C(1));
	waiter_leave(wait->waiter);
	freeze_leave(rec);
	if (outcome != WAIT_WITHDRAWN)
		record_wait(wait, waited_ns);
	lock_unpin(wait->lock);
}

/* The record of a lock that somebody waits for, or NULL. Pinned. */
static struct lock_record *find_busy(struct recording *rec, const void *address)
{
	struct lock_record *lock = lock_find(rec, address);

	/* Others in the bucket may be waited for, and this one not. */
	if (!lock || ledger_is_idle(&lock->ledger))
		return NULL;
	return lock_pin(lock, address) ? lock : NULL;
}

void contention_barged(const void *address)
{
	struct recording *rec = live_recording();
	struct lock_record *lock = rec ? find_busy(rec, address) : NULL;

	if (!lock)
		return;
	if (freeze_enter(rec)) {
		store_relaxed(&lock->holder, thread_identify()->tid);
		add_relaxed(&lock->handoff_ns, ledger_barged(&lock->ledger));
		freeze_leave(rec);
	}
	lock_unpin(lock);
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
	struct lock_record *lock = rec ? find_busy(rec, address) : NULL;
	struct ledger_charge due;
	uint32_t owed;

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
		caused.caused_ns =
			rec->charges_like_go
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
	struct weight weight = sampling_weigh(caused->caused_ns, rec->rate_ns);
	struct sample sample = { .kind = law_profile_of(caused->lock->kind),
				 .lock = lock_index(rec, caused->lock) };

	if (!weight.events || !caused->caused_ns)
		return;
	if (caused->caused_ns >= rec->min_wait_ns)
		sample.stack = stack_capture(NULL, caller);
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
	lock_retire(lock);
	owed_forget(lock, address);
	lock_unpin(lock);
}

void contention_reset(void)
{
	memset(contention_waiters, 0, sizeof(contention_waiters));
	thread_self.identity.tid = 0;
	lock_table_reset();
	sleepers_reset();
}
