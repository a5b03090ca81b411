/*
 * The places of the lock table: where a lock's record may lie, and which one
 * gives way to a new lock (lib/sigsafe/locks/lock_table.h). Lock-free.
 * Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOCKS_LOCK_PLACES_H
#define SIGSAFE_LOCKS_LOCK_PLACES_H

#include "base/atomic.h"
#include "base/format.h"

#define LOCK_WINDOW 16 /* places in which a lock's record may lie */

/* In pins: the record is made for a lock (lib/sigsafe/locks/lock_table.c). */
#define LOCK_TAKEN (UINT32_C(1) << 31)

/* The places of a key, i = 0 to LOCK_WINDOW - 1. In front lie LOCK_OTHERS. */
struct lock_record *lock_places_at(struct recording *rec, uint64_t key, int i);

/*
 * A place for a new lock's record, taken: an empty one, or that of the lock
 * that matters least, whose sums go to all others'. NULL: all are in use.
 */
struct lock_record *lock_places_take(struct recording *rec, uint64_t key);

/* Relaxed: who needs it to stay so has the record taken. */
static inline bool lock_is_waited_for(const struct lock_record *record)
{
	return LEDGER_N(load_relaxed(&record->ledger.base_n));
}

#endif
