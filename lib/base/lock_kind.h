/*
 * The kinds of lock: their words. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_LOCK_KIND_H
#define BASE_LOCK_KIND_H

#include <stdint.h>

#define LOCK_KINDS(X)                                                          \
	X(LOCK_MUTEX, "mutex")                                                 \
	X(LOCK_RWLOCK, "rwlock")                                               \
	X(LOCK_SPIN, "spinlock")                                               \
	X(LOCK_SEMAPHORE, "semaphore")                                         \
	X(LOCK_BARRIER, "barrier")                                             \
	X(LOCK_JOIN, "join")                                                   \
	X(LOCK_ONCE, "once")

enum lock_kind {
#define X(name, text) name,
	LOCK_KINDS(X)
#undef X
	LOCK_KIND_COUNT
};

/* What texts and reports call it; "" for an unknown number. */
const char *lock_kind_text(uint32_t kind);

/* The kind with this word; LOCK_MUTEX where there is none. */
enum lock_kind lock_kind_named(const char *word);

#endif
