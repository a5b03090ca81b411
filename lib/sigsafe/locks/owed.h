/*
 * What is owed: waits for a lock that timed out, and that no unlock has been
 * charged for yet. Until then they stay in the count by which an unlock sees
 * that there is something to settle. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOCKS_OWED_H
#define SIGSAFE_LOCKS_OWED_H

#include "base/atomic.h"
#include "base/format.h"

/*
 * Is anything owed? What the ledger knows of it may be settled already: an
 * unlock can come between a waiter's two steps. Relaxed: as ledger_is_idle().
 */
static inline bool owed_any(const struct lock_record *lock)
{
	return load_relaxed(&lock->owed) != 0;
}

/* A waiter gave up, and its wait is in the ledger. */
void owed_add(struct lock_record *lock, const void *address);

/*
 * So many are paid. Where more have come to be owed meanwhile, the next unlock
 * sees to all of them.
 */
void owed_pay(struct lock_record *lock, const void *address, uint32_t owed);

/* The lock is retired: nobody will ever pay. */
void owed_forget(struct lock_record *lock, const void *address);

#endif
