/*
 * The sample table: open addressing in SECTION_SAMPLES; a key, once set, stays.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/samples.h"

#include "base/atomic.h"
#include "base/hash.h"

#define MAX_PROBES 64

/* The record with this key, made if need be, or NULL: no room. */
static struct sample_record *find_or_make(struct recording *rec, uint64_t key)
{
	struct section *section = &rec->section[SECTION_SAMPLES];
	struct sample_record *table = section_records(rec, SECTION_SAMPLES);
	uint32_t slot = hash_slot(key, section->capacity);

	for (int probe = 0; probe < MAX_PROBES; probe++) {
		struct sample_record *record = &table[slot];
		/* Relaxed: the key guards nothing but its own counters. */
		uint64_t seen = load_relaxed(&record->key);

		if (seen == key)
			return record;
		if (!seen && cas_acq_rel(&record->key, &seen, key)) {
			add_relaxed(&section->used, 1);
			return record;
		}
		if (seen == key)
			return record;
		slot = slot + 1 == section->capacity ? 0 : slot + 1;
	}
	return NULL;
}

void sample_add(struct recording *rec, struct sample sample, uint64_t ns,
		uint64_t events)
{
	struct sample_record *record = NULL;

	if (sample.stack)
		record = find_or_make(rec, SAMPLE_KEY(sample.kind, sample.lock,
						      sample.stack));
	if (sample.stack && !record)
		add_relaxed(&rec->lost[LOST_SAMPLE], 1);
	if (!record) {
		/* Relaxed: counters of their own, as below. */
		add_relaxed(&rec->discarded[sample.kind], events);
		add_relaxed(&rec->discarded_ns[sample.kind], ns);
		return;
	}
	add_relaxed(&record->total_ns, ns);
	add_relaxed(&record->count, events);
	max_relaxed(&record->max_ns, ns);
}
