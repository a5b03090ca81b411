/*
 * The sort.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap_sort.h"

static bool is_less(const void *a, const void *b)
{
	return *(const uint32_t *)a < *(const uint32_t *)b;
}

static int compare(const void *a, const void *b)
{
	return is_less(b, a) - is_less(a, b);
}

Test(heap_sort, agrees_with_the_libc_for_every_small_size)
{
	uint32_t ours[64], theirs[64];
	uint32_t state = 1;

	for (size_t n = 0; n <= ARRAY_SIZE(ours); n++) {
		for (size_t i = 0; i < n; i++) {
			state = state * 1664525 + 1013904223;
			ours[i] = theirs[i] = state >> 24 & 0x1f;
		}
		heap_sort(ours, n, sizeof(*ours), is_less);
		qsort(theirs, n, sizeof(*theirs), compare);
		cr_assert_arr_eq(ours, theirs, n * sizeof(*ours));
	}
}

Test(heap_sort, orders_what_is_sorted_or_reversed_already)
{
	uint32_t up[100], down[100];

	for (uint32_t i = 0; i < 100; i++) {
		up[i] = i;
		down[i] = 99 - i;
	}
	heap_sort(up, 100, sizeof(*up), is_less);
	heap_sort(down, 100, sizeof(*down), is_less);
	for (uint32_t i = 0; i < 100; i++) {
		cr_assert_eq(up[i], i);
		cr_assert_eq(down[i], i);
	}
}

struct wide {
	uint32_t key;
	char rest[HEAP_SORT_MAX_BYTES - sizeof(uint32_t)];
};

Test(heap_sort, moves_records_whole)
{
	struct wide records[50];

	for (uint32_t i = 0; i < 50; i++) {
		records[i].key = i * 7 % 50;
		memset(records[i].rest, (int)records[i].key,
		       sizeof(records[i].rest));
	}
	heap_sort(records, 50, sizeof(*records), is_less);
	for (uint32_t i = 0; i < 50; i++) {
		cr_assert_eq(records[i].key, i);
		cr_assert_eq(records[i].rest[0], (char)i);
		cr_assert_eq(records[i].rest[sizeof(records[i].rest) - 1],
			     (char)i);
	}
}

/* As memory that changes under the sort would answer. */
static bool answers_at_random(const void *a, const void *b)
{
	static uint32_t state = 1;

	(void)a;
	(void)b;
	state = state * 1664525 + 1013904223;
	return state >> 31;
}

Test(heap_sort, keeps_every_record_whatever_it_is_told)
{
	uint32_t records[200];

	for (uint32_t i = 0; i < 200; i++)
		records[i] = i;
	heap_sort(records, 200, sizeof(*records), answers_at_random);
	qsort(records, 200, sizeof(*records), compare);
	for (uint32_t i = 0; i < 200; i++)
		cr_assert_eq(records[i], i);
}
