/*
 * Who waits for which lock right now, in SECTION_WAITERS: what is left of it at
 * the end, or in a killed process's recording, are the open waits. Lock-free.
 * Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOCKS_WAITERS_H
#define SIGSAFE_LOCKS_WAITERS_H

#include "base/format.h"
#include "sigsafe/thread.h"

/*
 * Enters a thread. Returns its record, or NULL: too many wait at once
 * (counted). Pairs with waiter_leave(), which takes a NULL, too.
 */
struct waiter_record *waiter_enter(struct recording *rec, uint32_t lock,
				   uint64_t start_ns,
				   const struct thread_identity *who);
void waiter_leave(struct waiter_record *waiter);

/*
 * The process ends: who holds what is still waited for is asked of the kernel,
 * a file a lock, where its name is not known.
 */
void waiters_name_holders(struct recording *rec);

#endif
