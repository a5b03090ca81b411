/*
 * The row cache: rows that have been worked out, by the instruction they are
 * for: its address says where to look, its place in a module whether it is the
 * one. One for the whole process: a walk that finds all its rows
 * writes nothing, so threads do not get in each other's way (two at once walk
 * as fast as one alone: test/bench/walk.c), and a new thread finds it warm.
 *
 * A row belongs to its module, which is an object with its addresses and its
 * build-id (sigsafe/record/modules.h): what is loaded at the same addresses
 * later does not find it. What has no build-id is not to be entered, unless it
 * is never unloaded.
 *
 * Lock-free: what is being entered can't be found, and an entry that is in use
 * for that is not waited for. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WALK_ROW_CACHE_H
#define SIGSAFE_WALK_ROW_CACHE_H

#include "base/atomic.h"
#include "sigsafe/walk/unwind_row.h"

#define ROW_CACHE_PAIRS 2048u

struct row_entry {
	uint64_t version; /* odd: being written; changes with every writing */
	uint64_t place;
	unwind_row row;
};

/* Both places where a row can be are in one cache line. */
struct row_pair {
	struct row_entry entry[2];
} __attribute__((aligned(64)));

extern struct row_pair row_cache_pairs[ROW_CACHE_PAIRS];

/* No better hash: each frame waits for it before the next can be read. */
static inline struct row_pair *row_cache_pair(uintptr_t pc)
{
	return &row_cache_pairs[(pc ^ pc / ROW_CACHE_PAIRS) % ROW_CACHE_PAIRS];
}

/*
 * Each load acquires: the next one is not made before it. Pairs with the
 * releases in row_cache_add().
 */
static inline bool row_entry_read(const struct row_entry *entry, uint64_t place,
				  unwind_row *row)
{
	uint64_t version = load_acquire(&entry->version);

	if (load_acquire(&entry->place) != place)
		return false;
	*row = load_acquire(&entry->row);
	return !(version & 1) && load_relaxed(&entry->version) == version;
}

/* place: as a frame word, not exact; not 0. Inlined: once a frame. */
static inline bool row_cache_find(uintptr_t pc, uint64_t place, unwind_row *row)
{
	const struct row_pair *pair = row_cache_pair(pc);

	return row_entry_read(&pair->entry[0], place, row) ||
	       row_entry_read(&pair->entry[1], place, row);
}

void row_cache_add(uintptr_t pc, uint64_t place, unwind_row row);

/* Forgets all, as the modules' numbers will change. No other thread walks. */
void row_cache_reset(void);

#endif
