/*
 * The waiter's side of contention: a wait from its begin to its end, with the
 * sums and samples that follow from it.
 *
 * SPDX-License-Identifier: MIT
 */

#include "base/law.h"
#include "sigsafe/live.h"
#include "sigsafe/locks/contention.h"
#include "sigsafe/locks/go_rule.h"
#include "sigsafe/locks/ledger.h"
#include "sigsafe/locks/lock_table.h"
#include "sigsafe/locks/owed.h"
#include "sigsafe/locks/waiters.h"
#include "sigsafe/os/freeze.h"
#include "sigsafe/record/events.h"
#include "sigsafe/record/samples.h"
#include "sigsafe/record/sampling.h"
#include "sigsafe/stacks/stack_touch.h"
#include "sigsafe/thread.h"
#include "sigsafe/walk/stack.h"

static void enter(struct lock_wait *wait, const struct thread_identity *who,
		  int32_t holder)
{
	struct lock_record *lock = wait->lock;
	uint64_t waiters;

	if (holder == HELD_BY_SEVERAL)
		wait->start_ns = ledger_enter_shared(&lock->ledger, &waiters);
	else
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
		store_relaxed(&lock->holder,
			      holder == HELD_BY_SEVERAL ? 0 : holder);
	if (live_header.charges_like_go)
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
	if (!live_header.watches_waiters || live_header.rate_ns)
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
	if (!rec || !live_header.watches_locks)
		return;
	stack_touch(TOUCH_LOCK_BYTES);
	if (!freeze_enter(rec))
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
	*wait = (struct lock_wait){ .address = lock.address };
	/* To know who it is takes system calls: seccomp may kill for them. */
	if (!live_recording())
		return;
	contention_wait_begin_for(wait, lock, thread_identify());
	wait->caller = caller;
	if (!wait->recording)
		return;
	take_stack(wait);
	evidence_lock_begin(wait->lock, wait->start_ns, lock.holder);
}

/* Only where the next waiter can see whether it is still true. */
static void note_holder(struct lock_record *lock, uint32_t stack,
			uint64_t now_ns)
{
	const struct thread_identity *self;

	if (lock->kind != LOCK_MUTEX && lock->kind != LOCK_RWLOCK)
		return;
	self = thread_identify_at(now_ns);
	store_relaxed(&lock->holder, self->tid);
	/* Of several readers any, and the name perhaps of another. */
	copy_relaxed(lock->taker_name, self->name, NAME_BYTES);
	store_relaxed(&lock->taker_stack, stack);
	store_relaxed(&lock->taker, self->tid);
}

/*
 * Will an unlock find this record, and pay what is owed? Nobody lets go of a
 * barrier; nor is a lock's record found that was destroyed meanwhile, or that
 * is its second one (lib/sigsafe/locks/lock_table.c).
 */
static bool is_payable(const struct lock_wait *wait)
{
	return law_profile_of(wait->lock->kind) != SAMPLE_WAIT &&
	       lock_find(wait->recording, wait->address) == wait->lock;
}

static struct ledger_leave leave(struct lock_wait *wait,
				 enum wait_outcome outcome)
{
	struct lock_record *lock = wait->lock;

	switch (outcome) {
	case WAIT_ACQUIRED:
		return ledger_acquired(&lock->ledger, wait->start_ns);
	case WAIT_JOINED:
		store_relaxed(&lock->holder, 0);
		return ledger_joined(&lock->ledger, wait->start_ns);
	case WAIT_GAVE_UP:
		if (is_payable(wait))
			return ledger_gave_up(&lock->ledger);
		return ledger_acquired(&lock->ledger, wait->start_ns);
	case WAIT_WITHDRAWN:
		break;
	}
	return ledger_withdraw(&lock->ledger, wait->start_ns);
}

static void leave_go(struct lock_wait *wait, enum wait_outcome outcome)
{
	if (outcome == WAIT_ACQUIRED || outcome == WAIT_JOINED)
		go_rule_acquired(&wait->lock->go);
	else
		go_rule_gave_up(&wait->lock->go);
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
	evidence_lock_end(lock, wait->start_ns, left.until_ns);
	event_waits_no_more(lock);
	/* Until here a tick has asked who the lock is waited for. */
	if (outcome == WAIT_ACQUIRED)
		note_holder(lock, wait->stack, left.until_ns);
	if (outcome == WAIT_GAVE_UP)
		add_relaxed(&lock->timeouts, 1);
	if (left.is_owed)
		owed_add(lock, wait->address);
	else
		sub_release(contention_bucket(wait->address), 1);
	if (live_header.charges_like_go)
		leave_go(wait, outcome);
	return waited_ns;
}

static void record_wait(struct lock_wait *wait, uint64_t waited_ns)
{
	struct recording *rec = wait->recording;
	struct weight weight = sampling_weigh(waited_ns, live_header.rate_ns);
	struct sample sample = { .kind = SAMPLE_WAIT,
				 .lock = lock_index(rec, wait->lock) };

	/* Waiting for a semaphore is often idleness. */
	if (!weight.events || !live_header.watches_waiters ||
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

	stack_touch(TOUCH_LOCK_BYTES);
	/* A child that was forked meanwhile has no part in it. */
	if (!rec || rec != live_recording() || !freeze_enter(rec)) {
		thread_self.lock = NULL;
		return;
	}
	waited_ns = close_wait(wait, outcome);
	if (outcome == WAIT_WITHDRAWN)
		add_relaxed(&wait->lock->waits, -UINT64_C(1));
	waiter_leave(wait->waiter);
	freeze_leave(rec);
	if (outcome != WAIT_WITHDRAWN)
		record_wait(wait, waited_ns);
	lock_unpin(wait->lock);
}
