/*
 * Places of records. That who has taken one is alone with it is proved in
 * lib/sigsafe/locks/lock_table.c.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/locks/lock_places.h"

#include "base/hash.h"
#include "sigsafe/live.h"
#include "sigsafe/locks/lock_others.h"

#define MAX_TRIES 4

struct lock_record *lock_places_at(struct recording *rec, uint64_t key, int i)
{
	struct lock_record *table = live_records(rec, SECTION_LOCKS);
	uint32_t places =
		live_capacity(SECTION_LOCKS) - (uint32_t)LOCK_KIND_COUNT;
	uint32_t slot = hash_slot(key, places) + (uint32_t)i;

	return &table[LOCK_KIND_COUNT + slot - (slot < places ? 0 : places)];
}

/* Nobody waits for its lock, and nobody owes for a wait that timed out. */
static bool is_idle(const struct lock_record *record)
{
	uint64_t key = load_relaxed(&record->key);

	return key && key != LOCK_MAKING && !lock_is_waited_for(record) &&
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

	for (int i = 0; i < LOCK_WINDOW; i++) {
		struct lock_record *record = lock_places_at(rec, key, i);
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
		if (!cas_acq_rel(&least->pins, &nobody, LOCK_TAKEN))
			continue;
		if (is_idle(least)) {
			give_up(rec, least);
			return least;
		}
		add_seq_cst(&least->pins, -LOCK_TAKEN);
	}
	return NULL;
}

/* Takes an empty place, or NULL: there is none. */
static struct lock_record *take_empty(struct recording *rec, uint64_t key)
{
	for (int i = 0; i < LOCK_WINDOW; i++) {
		struct lock_record *record = lock_places_at(rec, key, i);
		uint64_t empty = 0;

		if (load_relaxed(&record->key) ||
		    !cas_acq_rel(&record->key, &empty, LOCK_MAKING))
			continue;
		add_seq_cst(&record->pins, LOCK_TAKEN);
		add_relaxed(&rec->section[SECTION_LOCKS].used, 1);
		return record;
	}
	return NULL;
}

struct lock_record *lock_places_take(struct recording *rec, uint64_t key)
{
	struct lock_record *record = take_empty(rec, key);

	return record ? record : take_least(rec, key);
}
