/*
 * Atomic operations with their memory order in the name. They work on plain
 * integers and pointers, so the process that writes a recording and the one
 * that reads it share one set of structures. Signal-safe.
 *
 * Each use of a non-relaxed one names its partner; each relaxed one says why
 * that is enough.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_ATOMIC_H
#define BASE_ATOMIC_H

#include "base/units.h"

#define load_relaxed(p)	    __atomic_load_n(p, __ATOMIC_RELAXED)
#define load_acquire(p)	    __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define store_relaxed(p, v) __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define add_relaxed(p, v)   __atomic_fetch_add(p, v, __ATOMIC_RELAXED)
#define sub_release(p, v)   __atomic_fetch_sub(p, v, __ATOMIC_RELEASE)

/* Sequentially consistent: for the pairs that need store-load order. */
#define load_seq_cst(p)	    __atomic_load_n(p, __ATOMIC_SEQ_CST)
#define store_seq_cst(p, v) __atomic_store_n(p, v, __ATOMIC_SEQ_CST)
#define add_seq_cst(p, v)   __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST)

/* True when *p was *expected and is now desired; else *expected is *p. */
#define cas_acq_rel(p, expected, desired)                                      \
	__atomic_compare_exchange_n(p, expected, desired, false,               \
				    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)

#define exchange_acq_rel(p, v) __atomic_exchange_n(p, v, __ATOMIC_ACQ_REL)

/* A text that another may write meanwhile: each byte is right by itself. */
static inline void copy_relaxed(char *to, const char *from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		store_relaxed(&to[i], load_relaxed(&from[i]));
}

/* A maximum needs no order: nothing else is read through it. */
static inline void max_relaxed(uint64_t *p, uint64_t value)
{
	uint64_t seen = load_relaxed(p);

	while (seen < value &&
	       !__atomic_compare_exchange_n(p, &seen, value, true,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

#endif
