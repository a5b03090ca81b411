/*
 * Memory that is not the host's: zeroed, apart, aligned, and given back whole.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "setup/own_memory.h"

#define ALIGNMENT _Alignof(max_align_t)
#define PIECES	  3000u
#define LARGE	  (UINT64_C(1) << 20)

static struct own_memory memory;

static void release(void)
{
	own_memory_release(&memory);
}

TestSuite(own_memory, .fini = release);

/* Is each byte so? */
static bool is_filled(const uint8_t *piece, size_t bytes, uint8_t with)
{
	for (size_t i = 0; i < bytes; i++)
		if (piece[i] != with)
			return false;
	return true;
}

Test(own_memory, pieces_of_any_size_are_zeroed_and_apart)
{
	static uint8_t *piece[PIECES];

	for (size_t i = 0; i < PIECES; i++) {
		piece[i] = own_memory_take(&memory, 1, i);
		cr_assert_not_null(piece[i]);
		cr_assert_eq((uintptr_t)piece[i] % ALIGNMENT, 0);
		cr_assert(is_filled(piece[i], i, 0));
		memset(piece[i], (int)(i % 255) + 1, i);
	}
	for (size_t i = 0; i < PIECES; i++)
		cr_assert(is_filled(piece[i], i, (uint8_t)(i % 255 + 1)));
}

Test(own_memory, none_of_no_bytes_is_another)
{
	cr_assert_neq(own_memory_take(&memory, 0, 0),
		      own_memory_take(&memory, 0, 0));
}

Test(own_memory, a_large_piece_leaves_the_rest_of_a_block_to_small_ones)
{
	char *first = own_memory_take(&memory, 1, ALIGNMENT);
	uint8_t *large = own_memory_take(&memory, LARGE / 8, 8);
	char *next = own_memory_take(&memory, 1, ALIGNMENT);

	cr_assert_eq(next, first + ALIGNMENT);
	cr_assert(is_filled(large, LARGE, 0));
	memset(large, 1, LARGE);
}

Test(own_memory, what_no_memory_can_hold_is_refused)
{
	cr_assert_null(own_memory_take(&memory, 1, SIZE_MAX));
	cr_assert_null(own_memory_take(&memory, SIZE_MAX / 2, 4));
	cr_assert_null(own_memory_take(&memory, 1, PTRDIFF_MAX));
	cr_assert_not_null(own_memory_take(&memory, 1, 1));
}

/* Is it mapped? */
static bool is_there(void *piece)
{
	uintptr_t page = (uintptr_t)piece & ~UINT64_C(4095);
	unsigned char is_resident;

	return !mincore((void *)page, 1, &is_resident);
}

Test(own_memory, all_of_it_is_given_back)
{
	char *small = own_memory_take(&memory, 1, 1);
	char *large = own_memory_take(&memory, 1, LARGE);

	cr_assert(is_there(small) && is_there(large + LARGE - 1));
	own_memory_release(&memory);
	cr_assert_not(is_there(small) || is_there(large + LARGE - 1));
	cr_assert_not_null(own_memory_take(&memory, 1, 1));
}
