/*
 * The lock table: open addressing; a retired record keeps its place, so that
 * samples that name it stay right.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/lock_table.h"

#include "base/atomic.h"
#include "base/hash.h"
#include "sigsafe/modules.h"

#define MAX_PROBES 256

/* The record with this key, or the free one where it belongs, or NULL. */
static struct lock_record *probe(struct recording *rec, uint64_t key)
{
	uint32_t capacity = rec->section[SECTION_LOCKS].capacity;
	struct lock_record *table = section_records(rec, SECTION_LOCKS);
	uint32_t slot = hash_slot(key, capacity);

	for (int i = 0; i < MAX_PROBES; i++) {
		/* Relaxed: the key guards only counters that start at 0. */
		uint64_t seen = load_relaxed(&table[slot].key);

		if (!seen || seen == key)
			return &table[slot];
		slot = slot + 1 == capacity ? 0 : slot + 1;
	}
	return NULL;
}

struct lock_record *lock_find(struct recording *rec, const void *lock)
{
	struct lock_record *record = probe(rec, (uintptr_t)lock);

	return record && load_relaxed(&record->key) ? record : NULL;
}

struct lock_record *lock_find_or_make(struct recording *rec, const void *lock,
				      enum lock_kind kind)
{
	uint64_t key = (uintptr_t)lock;

	for (;;) {
		struct lock_record *record = probe(rec, key);
		uint64_t seen = 0;

		if (!record)
			break;
		if (load_relaxed(&record->key) == key)
			return record;
		if (cas_acq_rel(&record->key, &seen, key)) {
			add_relaxed(&rec->section[SECTION_LOCKS].used, 1);
			store_relaxed(&record->address, key);
			store_relaxed(&record->place, module_place(lock));
			store_relaxed(&record->kind, kind);
			return record;
		}
	}
	add_relaxed(&rec->lost[LOST_LOCK], 1);
	return NULL;
}

void lock_retire(struct recording *rec, const void *lock)
{
	uint64_t key = (uintptr_t)lock;
	struct lock_record *record = probe(rec, key);

	if (record)
		/* Fails where there is no such lock: then all is well. */
		cas_acq_rel(&record->key, &key, LOCK_RETIRED);
}
