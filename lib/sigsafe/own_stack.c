/*
 * The calling thread's own stack.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/own_stack.h"

/* So many pages are asked for at once: the next walk goes on. */
#define PAGES_AT_ONCE 64

/* Further away there is another stack, or a gap that the kernel keeps. */
#define MAX_STACK_BYTES (UINT64_C(64) << 20)

/* Written by own_stack_note_first(), in the constructor. */
static uintptr_t first_end;
static const void *first_thread;

/* The lowest page that is known to be readable; 0: none yet. */
static __thread uintptr_t floor_page;

void own_stack_note_first(uintptr_t end)
{
	first_end = end;
	first_thread = __builtin_thread_pointer();
}

/* Nothing else is mapped so near to the end of the first thread's. */
#define FIRST_STACK_BYTES (UINT64_C(8) << 20)

static uintptr_t end_of_stack(void)
{
	const void *thread = __builtin_thread_pointer();

	return thread == first_thread ? first_end : (uintptr_t)thread;
}

/* Moves the floor down to page, or as far as it goes now. */
static cold bool lower_floor(uintptr_t page, uintptr_t end)
{
	if (!floor_page)
		floor_page = end / PAGE_BYTES * PAGE_BYTES;
	for (int i = 0; i < PAGES_AT_ONCE && page < floor_page; i++) {
		if (!memory_is_readable((void *)(floor_page - PAGE_BYTES), 1))
			return false;
		floor_page -= PAGE_BYTES;
	}
	return page >= floor_page;
}

uintptr_t own_stack_end(uintptr_t sp)
{
	uintptr_t end = end_of_stack();

	if (end - sp > MAX_STACK_BYTES)
		return 0;
	if (unlikely(!floor_page || sp < floor_page) &&
	    !lower_floor(sp / PAGE_BYTES * PAGE_BYTES, end))
		return 0;
	return end;
}

bool own_stack_has(uintptr_t address)
{
	return first_end - address < FIRST_STACK_BYTES ||
	       own_stack_end(address);
}
