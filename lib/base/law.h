/*
 * The conservation law of contention:
 *
 *   charged + hand-off + open = waited
 *
 * charged: what unlocks were charged. hand-off: waiting after the lock was
 * free. open: not charged to anybody yet. Exact when no lock operation is in
 * flight.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_LAW_H
#define BASE_LAW_H

#include "base/format.h"

struct law {
	uint64_t waits;
	uint64_t waited_ns;
	uint64_t charged_ns;
	uint64_t handoff_ns;
	uint64_t open_ns;
};

/* One lock's sums at time now_ns. Signal-safe. */
struct law law_of_lock(const struct lock_record *lock, uint64_t now_ns);

/*
 * The profile that waiting for a kind of lock is charged in: SAMPLE_MUTEX, or
 * SAMPLE_SEM; SAMPLE_WAIT where there is nobody to charge (a barrier, a join).
 * Signal-safe.
 */
enum sample_kind law_profile_of(uint32_t lock_kind);

/*
 * The sums over the locks of a (checked) recording that are charged in profile,
 * at time now_ns. For SAMPLE_WAIT only what was waited. Signal-safe.
 */
struct law law_of(const struct recording *rec, enum sample_kind profile,
		  uint64_t now_ns);

/* Does the law hold? Signal-safe. */
bool law_closes(const struct law *law);

/*
 * The time a recording speaks of: its end, or for one that runs or was killed
 * the latest time stamp in it. Signal-safe.
 */
uint64_t recording_now_ns(const struct recording *rec);

#endif
