/*
 * Where in memory a lock lies, by which it gets its name. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOCKS_LOCK_PLACE_H
#define SIGSAFE_LOCKS_LOCK_PLACE_H

#include <stdint.h>

/*
 * As a lock_record has it: module and offset, or PLACE_STACK. Of the stacks of
 * other threads than the first only the calling one's is known.
 */
uint64_t lock_place(const void *lock);

#endif
