/*
 * Units and small words every file may use. Time is uint64_t nanoseconds
 * everywhere; milliseconds exist only where people read or write them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STALLSHIM_VERSION "0.1.0"

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S  UINT64_C(1000000000)

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* Only where a hook leaves its fast path. */
#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define cold __attribute__((cold, noinline))

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

#endif
