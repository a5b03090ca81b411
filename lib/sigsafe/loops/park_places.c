/*
 * Places to park. Owns the process's table of them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/loops/park_places.h"

#include "base/atomic.h"
#include "base/hash.h"
#include "sigsafe/live.h"

#define PLACES	   8192u /* pages that are not used cost nothing */
#define MAX_PROBES 16u

static struct place {
	uint64_t hash;	 /* 0: free */
	int32_t teacher; /* TEACHER_NOBODY: it is being entered */
} places[PLACES];

/* The slot where hash is, or a free one; NULL: neither nearby. */
static struct place *slot_for(uint64_t hash)
{
	uint32_t slot = hash_slot(hash, PLACES);

	for (uint32_t i = 0; i < MAX_PROBES; i++) {
		struct place *place = &places[(slot + i) % PLACES];
		/* Relaxed: a teacher that is not seen yet is nobody. */
		uint64_t seen = load_relaxed(&place->hash);

		if (!seen || seen == hash)
			return place;
	}
	return NULL;
}

void park_places_enter(uint64_t hash, int32_t teacher)
{
	struct place *place;
	uint64_t vacant;
	int32_t former = TEACHER_NOBODY;

	do {
		vacant = 0;
		place = slot_for(hash);
		if (!place) {
			live_count_lost(LOST_PLACE);
			return;
		}
	} while (load_relaxed(&place->hash) != hash &&
		 !cas_acq_rel(&place->hash, &vacant, hash));
	if (!cas_acq_rel(&place->teacher, &former, teacher) &&
	    former != teacher)
		store_relaxed(&place->teacher, TEACHER_SEVERAL);
}

int32_t park_places_teacher(uint64_t hash)
{
	const struct place *place = slot_for(hash);

	/* It may be one for which there was no room. */
	if (!place)
		return TEACHER_SEVERAL;
	return load_relaxed(&place->hash) == hash
		       ? load_relaxed(&place->teacher)
		       : TEACHER_NOBODY;
}
