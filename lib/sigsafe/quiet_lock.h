/*
 * A lock for what signal handlers share with everybody else: it is held with
 * all signals blocked (QUIET_MASK), so no handler finds it held by the thread
 * it runs on. It is a leaf, held for a few system calls.
 *
 * It holds the pid of its holder's process: a child that was forked while
 * another thread held it sees that it is nobody's any more, and takes it.
 * What it guards must therefore be in order after each single store. A guest
 * in its parent's memory (sigsafe/process.h) may not take it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_QUIET_LOCK_H
#define SIGSAFE_QUIET_LOCK_H

#include "sigsafe/sys.h"

struct quiet_lock {
	uint32_t holder;    /* 0: free; else a pid, and bit 31: others wait */
	kernel_sigset mask; /* the holder's signal mask before */
};

/* pid: process_id(), not 0. Signal-safe. Pairs with quiet_unlock(). */
void quiet_lock(struct quiet_lock *lock, int pid);
void quiet_unlock(struct quiet_lock *lock);

#endif
