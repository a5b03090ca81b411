/*
 * The row cache: a table of pairs, each entry guarded by its version.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walk/row_cache.h"

#include <string.h>

struct row_pair row_cache_pairs[ROW_CACHE_PAIRS];

/*
 * Each store releases: who sees it sees that the version is odd, or has
 * changed. Pairs with row_entry_read().
 */
static void write_entry(struct row_entry *entry, uint64_t place, unwind_row row)
{
	uint64_t version = load_relaxed(&entry->version);

	if (version & 1 || !cas_acq_rel(&entry->version, &version, version + 1))
		return;
	store_release(&entry->place, place);
	store_release(&entry->row, row);
	store_release(&entry->version, version + 2);
}

void row_cache_add(uintptr_t pc, uint64_t place, unwind_row row)
{
	struct row_entry *entry = row_cache_pair(pc)->entry;
	/* Relaxed: only which of the two has been written less often. */
	bool second = load_relaxed(&entry[1].version) <
		      load_relaxed(&entry[0].version);

	write_entry(&entry[second], place, row);
}

void row_cache_reset(void)
{
	memset(row_cache_pairs, 0, sizeof(row_cache_pairs));
}
