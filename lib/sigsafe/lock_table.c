/*
 * The lock table: open addressing within a window of places. Owns the turns of
 * those who make records.
 *
 * Two words tell the life of a record:
 *
 *   key   0 -> LOCK_MAKING -> address -> LOCK_RETIRED, and from the last two
 *         back to LOCK_MAKING. Never 0 again: a search that ends at an empty
 *         place has missed nothing.
 *   pins  how many use it, and the bit TAKEN while it is made for a lock.
 *
 * 1. Only who has pinned a record changes its ledger, its sums or its samples:
 *    a waiter from its coming to its wait's sample, an unlocker from the charge
 *    to the charge's sample.
 * 2. TAKEN is set by a swap of 0 pins for it (or in an empty place, which
 *    nobody pins). So it is set while nobody has the record pinned. A pin is an
 *    addition that finds TAKEN unset: from then on pins is not 0, and TAKEN
 *    can't be set. An addition that finds it set is taken back, and nothing
 *    else is done.
 * 3. So who set TAKEN is alone with the record until it is published, and what
 *    others have added under their pins was meant for the lock that it is
 *    taken from.
 * 4. The key is read again under the pin: if it is the lock's, it stays so, as
 *    only who sets TAKEN gives a record to another lock.
 *
 * Pairs: unpin (release) and the swap that sets TAKEN (acquire); publish()
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
#include "sigsafe/lock_table.h"

#include <string.h>

#include "base/atomic.h"
#include "base/hash.h"
#include "sigsafe/lock_others.h"
#include "sigsafe/machine.h"
#include "sigsafe/modules.h"
#include "sigsafe/owed.h"
#include "sigsafe/own_stack.h"

#define WINDOW	  16 /* places in which a lock's record may lie */
#define TAKEN	  (UINT32_C(1) << 31)
#define TURNS	  256
#define MAX_SPINS 500 /* some microseconds: a record is made in less */
#define MAX_TRIES 4

/* 1: somebody makes a record for a lock of this hash. */
static uint32_t turns[TURNS];

/* The places of a key, i = 0 to WINDOW - 1. In front lie LOCK_OTHERS. */
static struct lock_record *place_of(struct recording *rec, uint64_t key, int i)
{
	struct lock_record *table = live_records(rec, SECTION_LOCKS);
	uint32_t places =
		live_capacity(SECTION_LOCKS) - (uint32_t)LOCK_KIND_COUNT;
	uint32_t slot = hash_slot(key, places) + (uint32_t)i;

	return &table[LOCK_KIND_COUNT + slot - (slot < places ? 0 : places)];
}

struct lock_record *lock_find(struct recording *rec, const void *lock)
{
	uint64_t key = (uintptr_t)lock;

	for (int i = 0; i < WINDOW; i++) {
		struct lock_record *record = place_of(rec, key, i);
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
	if (!(add_seq_cst(&record->pins, 1) & TAKEN) &&
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

/* Nobody waits for its lock, and nobody owes for a wait that timed out. */
static bool is_idle(const struct lock_record *record)
{
	uint64_t key = load_relaxed(&record->key);

	return key && key != LOCK_MAKING &&
	       !LEDGER_N(load_relaxed(&record->ledger.base_n)) &&
	       !load_relaxed(&record->owed);
}

/* How much there is to lose. Right if the record is idle. */
static uint64_t weight_of(const struct lock_record *record)
{
	if (load_relaxed(&record->key) == LOCK_RETIRED)
		return 0;
	return load_relaxed(&record->waited_sum) +
	       load_relaxed(&record->inherited_us) * NS_PER_US;
}

/* The record's lock loses it. The record is taken. */
static void give_up(struct recording *rec, struct lock_record *record)
{
	uint64_t weight_us = weight_of(record) / NS_PER_US;

	store_release(&record->key, LOCK_MAKING);
	store_relaxed(&record->inherited_us,
		      (uint32_t)min_u64(weight_us, UINT32_MAX));
	lock_others_add(rec, record);
	add_relaxed(&rec->lost[LOST_LOCK_RECORD], 1);
}

/* The idle record that matters least, or NULL. */
static struct lock_record *find_least(struct recording *rec, uint64_t key)
{
	struct lock_record *least = NULL;
	uint64_t least_weight = UINT64_MAX;

	for (int i = 0; i < WINDOW; i++) {
		struct lock_record *record = place_of(rec, key, i);
		uint64_t weight = weight_of(record);

		if (weight < least_weight && !load_relaxed(&record->pins) &&
		    is_idle(record)) {
			least_weight = weight;
			least = record;
		}
	}
	return least;
}

/* Takes a record from another lock, or NULL: all are in use. */
static struct lock_record *take_least(struct recording *rec, uint64_t key)
{
	for (int i = 0; i < MAX_TRIES; i++) {
		struct lock_record *least = find_least(rec, key);
		uint32_t nobody = 0;

		if (!least)
			return NULL;
		if (!cas_acq_rel(&least->pins, &nobody, TAKEN))
			continue;
		if (is_idle(least)) {
			give_up(rec, least);
			return least;
		}
		add_seq_cst(&least->pins, -TAKEN);
	}
	return NULL;
}

/* Takes an empty place, or NULL: there is none. */
static struct lock_record *take_empty(struct recording *rec, uint64_t key)
{
	for (int i = 0; i < WINDOW; i++) {
		struct lock_record *record = place_of(rec, key, i);
		uint64_t empty = 0;

		if (load_relaxed(&record->key) ||
		    !cas_acq_rel(&record->key, &empty, LOCK_MAKING))
			continue;
		add_seq_cst(&record->pins, TAKEN);
		add_relaxed(&rec->section[SECTION_LOCKS].used, 1);
		return record;
	}
	return NULL;
}

/* The record is the lock's from here on, and pinned. */
static void publish(struct lock_record *record, uint64_t key)
{
	store_seq_cst(&record->key, key);
	add_seq_cst(&record->pins, 1 - TAKEN);
}

static void retire_double(struct lock_record *record, const void *lock)
{
	if (!lock_pin(record, lock))
		return;
	lock_retire(record);
	owed_forget(record, lock);
	lock_unpin(record);
}

/* All records of the lock but the first, which is the one that is found. */
static void retire_doubles(struct recording *rec, const void *lock)
{
	bool has_first = false;

	for (int i = 0; i < WINDOW; i++) {
		struct lock_record *record = place_of(rec, (uintptr_t)lock, i);

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
	struct lock_record *record = take_empty(rec, key);

	if (!record && !(record = take_least(rec, key)))
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

/* Of the stacks of other threads than the first only the own one is known. */
static uint64_t place_in_memory(const void *lock)
{
	uint64_t place = module_place(lock);

	if (!FRAME_MODULE(place) && own_stack_has((uintptr_t)lock))
		return PLACE_STACK;
	return place;
}

struct lock_record *lock_pin_or_make(struct recording *rec, const void *lock,
				     enum lock_kind kind)
{
	struct lock_record *record = find_and_pin(rec, lock);
	uint32_t *turn = &turns[hash_slot((uintptr_t)lock, TURNS)];
	uint64_t place;
	bool is_our_turn;

	if (likely(record))
		return record;
	place = place_in_memory(lock);
	is_our_turn = take_turn(turn);
	record = find_and_pin(rec, lock);
	if (!record && (record = make(rec, (uintptr_t)lock, place, kind)))
		retire_doubles(rec, lock);
	if (is_our_turn)
		store_release(turn, 0);
	if (!record)
		add_relaxed(&rec->lost[LOST_LOCK], 1);
	return record;
}

void lock_retire(struct lock_record *record)
{
	store_seq_cst(&record->key, LOCK_RETIRED);
}

void lock_table_reset(void)
{
	memset(turns, 0, sizeof(turns));
}
