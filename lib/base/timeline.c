/*
 * The timeline. Loads are relaxed: what is counted may be one stall old.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/timeline.h"

#include "base/atomic.h"

/* The latest lie in the ring. */
static bool is_in_ring(const struct recording *rec, uint32_t stamp)
{
	const struct section *ring = &rec->section[SECTION_EVENTS];

	return load_relaxed(&ring->used) - stamp <= ring->capacity;
}

bool timeline_is_only(const struct recording *rec, uint32_t longest)
{
	const struct longest_record *table =
		section_records(rec, SECTION_LONGEST);

	if (!load_relaxed(&table[longest].event.begun_ns) ||
	    is_in_ring(rec, table[longest].event.stamp))
		return false;
	for (uint32_t i = 0; i < longest; i++) {
		if (table[i].event.stamp == table[longest].event.stamp &&
		    load_relaxed(&table[i].event.begun_ns))
			return false;
	}
	return true;
}

uint64_t timeline_missing(const struct recording *rec)
{
	const struct section *ring = &rec->section[SECTION_EVENTS];
	uint32_t used = load_relaxed(&ring->used);
	uint64_t missing = used - min_u64(used, ring->capacity);

	for (uint32_t i = 0;
	     missing && i < rec->section[SECTION_LONGEST].capacity; i++)
		missing -= timeline_is_only(rec, i);
	return missing;
}
