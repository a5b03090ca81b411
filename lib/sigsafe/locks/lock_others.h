/*
 * The records of all other locks, one for each kind: the sums of locks that
 * have no record of their own any more. They lie in front of the lock table,
 * by kind. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOCKS_LOCK_OTHERS_H
#define SIGSAFE_LOCKS_LOCK_OTHERS_H

#include "base/format.h"

/*
 * Moves the sums and samples of a record to the record of all others of its
 * kind. Nobody else uses `from` meanwhile.
 */
void lock_others_add(struct recording *rec, struct lock_record *from);

/* The record of all others of this kind. */
struct lock_record *lock_others(struct recording *rec, uint32_t kind);

#endif
