/*
 * The lock table: one record in SECTION_LOCKS for each lock that was ever
 * waited for. Lock-free. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOCK_TABLE_H
#define SIGSAFE_LOCK_TABLE_H

#include "base/format.h"

/* The lock's record, or NULL: it was never waited for. */
struct lock_record *lock_find(struct recording *rec, const void *lock);

/* The lock's record, made if need be, or NULL: table full (counted). */
struct lock_record *lock_find_or_make(struct recording *rec, const void *lock,
				      enum lock_kind kind);

/*
 * The lock at this address was destroyed, or made anew: what comes next at the
 * address is another lock. The record keeps its sums.
 */
void lock_retire(struct recording *rec, const void *lock);

static inline uint32_t lock_index(const struct recording *rec,
				  const struct lock_record *lock)
{
	const struct lock_record *first = section_records(rec, SECTION_LOCKS);

	return (uint32_t)(lock - first);
}

#endif
