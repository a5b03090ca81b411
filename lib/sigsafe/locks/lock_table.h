/*
 * The lock table: a record in SECTION_LOCKS for each lock that was waited for.
 * Lock-free. Signal-safe.
 *
 * A lock's record may lie in a few places only. Where all of them are taken,
 * the one is given to it that matters least: of a lock that was destroyed, or
 * that made threads wait least. Its sums, and its samples, go to the record of
 * all other locks of its kind (LOCK_OTHERS), so that the sums over all records
 * stay what they are. The place remembers how much its former locks were waited
 * for, and the next one is compared with that as well: so each lock that is
 * waited for more than all who come and go in its places keeps its record in
 * the end (Metwally and others, "Space-Saving", 2005).
 *
 * Whoever uses a record has pinned it: nobody gives it to another lock then.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOCKS_LOCK_TABLE_H
#define SIGSAFE_LOCKS_LOCK_TABLE_H

#include "base/format.h"
#include "sigsafe/live.h"

/*
 * The lock's record, or NULL: it has none. Not pinned: by the time it is looked
 * at it may be another lock's.
 */
struct lock_record *lock_find(struct recording *rec, const void *lock);

/*
 * Pins the record if it is still the lock's. Pairs with lock_unpin(), in any
 * thread.
 */
bool lock_pin(struct lock_record *record, const void *lock);
void lock_unpin(struct lock_record *record);

/* The record of the lock of this kind at address, pinned; NULL: it has none. */
struct lock_record *lock_pin_of_kind(struct recording *rec, uint64_t address,
				     uint32_t kind);

/*
 * The lock's record, pinned, made if need be, also where one of another kind
 * was at its address that nobody waits for any more; or NULL: all its places
 * are in use (counted).
 */
struct lock_record *lock_pin_or_make(struct recording *rec, const void *lock,
				     enum lock_kind kind);

/*
 * The lock of this pinned record was destroyed, or made anew: what comes next
 * at its address is another lock. The record keeps its sums, and what is owed
 * stays open.
 */
void lock_retire(struct lock_record *record, const void *lock);

/* A forked child starts afresh: no other thread makes a record in it. */
void lock_table_reset(void);

static inline uint32_t lock_index(const struct recording *rec,
				  const struct lock_record *lock)
{
	const struct lock_record *first = live_records(rec, SECTION_LOCKS);

	return (uint32_t)(lock - first);
}

#endif
