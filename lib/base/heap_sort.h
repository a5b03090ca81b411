/*
 * A sort for a dying process: in place, no recursion, no allocation, n log n
 * at worst, and in bounds even if what it compares changes meanwhile.
 * Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_HEAP_SORT_H
#define BASE_HEAP_SORT_H

#include "base/units.h"

#define HEAP_SORT_MAX_BYTES 64

/*
 * Puts n records of size bytes (at most HEAP_SORT_MAX_BYTES) in order: no later
 * one is_before() an earlier one. Equal ones may change places.
 */
void heap_sort(void *records, size_t n, size_t size,
	       bool (*is_before)(const void *a, const void *b));

#endif
