/*
 * A lock for what signal handlers share with everybody else: it is held with
 * all signals blocked (QUIET_MASK), so no handler finds it held by the thread
 * it runs on. It is a leaf, held for a few system calls.
 *
 * It holds the number of the memory it is held in (sigsafe/os/process.h): a
 * child that was forked while another thread held it sees that it is nobody's
 * any more, and takes it. What it guards must therefore be in order after each
 * single store. A guest in its parent's memory may not take it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_OS_QUIET_LOCK_H
#define SIGSAFE_OS_QUIET_LOCK_H

#include "sigsafe/signals/quiet.h"

struct quiet_lock {
	uint32_t holder;     /* 0: free; else that; bit 31: others wait */
	struct quiet before; /* of the holder */
};

/* memory: process_memory(), not 0. Signal-safe. Pairs with quiet_unlock(). */
void quiet_lock(struct quiet_lock *lock, uint32_t memory);
void quiet_unlock(struct quiet_lock *lock);

/* Is it held just now, by a thread of this memory? Signal-safe. */
bool quiet_lock_is_held(const struct quiet_lock *lock, uint32_t memory);

#endif
