/*
 * The lock table: open addressing within a window of places. Owns the turns of
 * those who make records.
 *
 * Two words tell the life of a record:
 *
 *   key   0 -> LOCK_MAKING -> address -> LOCK_RETIRED, and from the last two
 *         back to LOCK_MAKING. Never 0 again: a search that ends at an empty
 *         place has missed nothing.
 *   pins  how many use it, and the bit LOCK_TAKEN while it is made for a lock.
 *
 * 1. Only who has pinned a record changes its ledger, its sums or its samples:
 *    a waiter from its coming to its wait's sample, an unlocker from the charge
 *    to the charge's sample.
 * 2. The bit is set by a swap of 0 pins for it (or in an empty place, which
 *    nobody pins). So it is set while nobody has the record pinned. A pin is an
 *    addition that finds it unset: from then on pins is not 0, and it can't be
 *    set. An addition that finds it set is taken back, and nothing else is
 *    done.
 * 3. So who set it is alone with the record until it is published, and what
 *    others have added under their pins was meant for the lock that it is
 *    taken from.
 * 4. The key is read again under the pin: if it is the lock's, it stays so, as
 *    only who sets the bit gives a record to another lock.
 *
 * Pairs: unpin (release) and the swap that sets the bit (acquire); publish()
 * (release) and lock_pin() (acquire).
 *
 * That a lock has one record: who makes one takes turns, and looks again first.
 * A turn is waited for a bounded time only, so two records may come to be for a
 * lock if somebody is stopped within a turn. All find the first on the way. Who
 * has published one looks for others afterwards, in one order with their
 * makers, and retires all but the first; what has begun in those ends there as
 * hand-off. The law holds.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/locks/lock_table.h"

#include <string.h>

#include "base/atomic.h"
#include "base/hash.h"
#include "sigsafe/locks/lock_place.h"
#include "sigsafe/locks/lock_places.h"
#include "sigsafe/locks/owed.h"
#include "sigsafe/os/machine.h"

#define TURNS	  256
#define MAX_SPINS 500 /* some microseconds: a record is made in less */

/* 1: somebody makes a record for a lock of this hash. */
static uint32_t turns[TURNS];

struct lock_record *lock_find(struct recording *rec, const void *lock)
{
	uint64_t key = (uintptr_t)lock;

	for (int i = 0; i < LOCK_WINDOW; i++) {
		struct lock_record *record = lock_places_at(rec, key, i);
		uint64_t seen = load_acquire(&record->key);

		if (seen == key)
			return record;
		if (!seen)
			break;
	}
	return NULL;
}

bool lock_pin(struct lock_record *record, const void *lock)
{
	if (!(add_seq_cst(&record->pins, 1) & LOCK_TAKEN) &&
	    load_acquire(&record->key) == (uintptr_t)lock)
		return true;
	lock_unpin(record);
	return false;
}

void lock_unpin(struct lock_record *record)
{
	sub_release(&record->pins, 1);
}

static struct lock_record *find_and_pin(struct recording *rec, const void *lock)
{
	struct lock_record *record = lock_find(rec, lock);

	return record && lock_pin(record, lock) ? record : NULL;
}

struct lock_record *lock_pin_of_kind(struct recording *rec, uint64_t address,
				     uint32_t kind)
{
	struct lock_record *record =
		find_and_pin(rec, (const void *)(uintptr_t)address);

	if (!record || record->kind == kind)
		return record;
	lock_unpin(record);
	return NULL;
}

/* The record is the lock's from here on, and pinned. */
static void publish(struct lock_record *record, uint64_t key)
{
	store_seq_cst(&record->key, key);
	add_seq_cst(&record->pins, 1 - LOCK_TAKEN);
}

static void retire_double(struct lock_record *record, const void *lock)
{
	if (!lock_pin(record, lock))
		return;
	lock_retire(record, lock);
	lock_unpin(record);
}

/* All records of the lock but the first, which is the one that is found. */
static void retire_doubles(struct recording *rec, const void *lock)
{
	bool has_first = false;

	for (int i = 0; i < LOCK_WINDOW; i++) {
		struct lock_record *record =
			lock_places_at(rec, (uintptr_t)lock, i);

		/* Pairs with publish(): of two makers one sees the other's. */
		if (load_seq_cst(&record->key) != (uintptr_t)lock)
			continue;
		if (has_first)
			retire_double(record, lock);
		has_first = true;
	}
}

static struct lock_record *make(struct recording *rec, uint64_t key,
				uint64_t place, enum lock_kind kind)
{
	struct lock_record *record = lock_places_take(rec, key);

	if (!record)
		return NULL;
	store_relaxed(&record->address, key);
	store_relaxed(&record->place, place);
	store_relaxed(&record->kind, kind);
	store_relaxed(&record->holder, 0);
	store_relaxed(&record->last_charged, 0);
	store_relaxed(&record->taker, 0);
	store_relaxed(&record->first_stack, 0);
	store_relaxed(&record->stall, 0);
	record->go = (struct go_queue){ 0 };
	publish(record, key);
	return record;
}

static bool take_turn(uint32_t *turn)
{
	for (int spin = 0; spin < MAX_SPINS; spin++) {
		/* Acquire pairs with the release that ends a turn. */
		if (!load_relaxed(turn) && !exchange_acq_rel(turn, 1))
			return true;
		machine_relax();
	}
	return false;
}

/*
 * The lock's record, pinned; NULL: it has none. Memory that is used again for a
 * lock of another kind is another lock's, though nobody has said so; unless
 * somebody still waits: then it is not known which of them is there.
 */
static struct lock_record *find_current(struct recording *rec, const void *lock,
					enum lock_kind kind)
{
	struct lock_record *record = find_and_pin(rec, lock);

	if (likely(!record || record->kind == kind) ||
	    lock_is_waited_for(record))
		return record;
	lock_retire(record, lock);
	lock_unpin(record);
	return NULL;
}

struct lock_record *lock_pin_or_make(struct recording *rec, const void *lock,
				     enum lock_kind kind)
{
	struct lock_record *record = find_current(rec, lock, kind);
	uint32_t *turn = &turns[hash_slot((uintptr_t)lock, TURNS)];
	uint64_t place;
	bool is_our_turn;

	if (likely(record))
		return record;
	place = lock_place(lock);
	is_our_turn = take_turn(turn);
	record = find_current(rec, lock, kind);
	if (!record && (record = make(rec, (uintptr_t)lock, place, kind)))
		retire_doubles(rec, lock);
	if (is_our_turn)
		store_release(turn, 0);
	if (!record)
		add_relaxed(&rec->lost[LOST_LOCK], 1);
	return record;
}

void lock_retire(struct lock_record *record, const void *lock)
{
	store_seq_cst(&record->key, LOCK_RETIRED);
	owed_forget(record, lock);
}

void lock_table_reset(void)
{
	memset(turns, 0, sizeof(turns));
}
