/*
 * The stack table: each different stack once, in SECTION_STACKS, found by hash
 * from SECTION_STACK_INDEX. Lock-free; a stack, once in, stays. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_STACK_TABLE_H
#define SIGSAFE_STACK_TABLE_H

#include "base/format.h"

/*
 * The place in SECTION_STACKS, in words, of the stack of these depth frames (1
 * to MAX_DEPTH), entered if need be; or 0: the table is full (counted).
 */
uint32_t stack_table_add(struct recording *rec, const uint64_t *frame,
			 uint32_t depth);

#endif
