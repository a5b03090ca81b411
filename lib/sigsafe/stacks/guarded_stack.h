/*
 * Memory for a stack, above a page that can't be touched. What of it is never
 * used takes none. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_STACKS_GUARDED_STACK_H
#define SIGSAFE_STACKS_GUARDED_STACK_H

#include "base/units.h"

/* The lower end of so many bytes, in whole pages; NULL: no memory. */
void *guarded_stack_map(size_t bytes);

/* Pairs with guarded_stack_map(), of so many bytes. */
void guarded_stack_unmap(void *stack, size_t bytes);

#endif
