/*
 * The calling thread's own stack.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/own_stack.h"

#include <pthread.h>
#include <sys/resource.h>

#include "sigsafe/sys.h"

/* So many pages are asked for at once: the next walk goes on. */
#define PAGES_AT_ONCE 64

/* Further away there is another stack, or a gap that the kernel keeps. */
#define MAX_STACK_BYTES (UINT64_C(64) << 20)

/* As libc keeps it in a thread's control block, side by side. */
struct noted_stack {
	uintptr_t block;
	size_t bytes;
	size_t guard_bytes; /* of these, the lowest */
};

/* glibc's control block is larger, and in the stack's block, near the end. */
#define CONTROL_BLOCK_BYTES 2048u
#define MAX_BYTES_ABOVE	    (1u << 20) /* of it: thread-local variables */

/* Written by own_stack_note_first(), in the constructor. */
static uintptr_t first_end;
static size_t first_bytes; /* that it may have, at most */
static const void *first_thread;

/* Where it starts, and the lowest page known to be readable; 0: none yet. */
static __thread uintptr_t start;
static __thread uintptr_t floor_page;

void own_stack_note_first(uintptr_t end)
{
	struct rlimit limit = { .rlim_cur = RLIM_INFINITY };

	sys4(SYS_prlimit64, 0, RLIMIT_STACK, NULL, &limit);
	first_bytes = (size_t)min_u64(limit.rlim_cur, MAX_STACK_BYTES);
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

/*
 * In front of it are the thread-specific values, which can be anything. A count
 * goes with each: that is no address, and no stack reaches from it to the end.
 */
#define LOWEST_BLOCK	(UINT64_C(4) << 20)
#define MAX_BLOCK_BYTES (UINT64_C(1) << 40)

static bool is_around(const struct noted_stack *stack, uintptr_t end)
{
	uintptr_t below = end - stack->block;

	return stack->block >= LOWEST_BLOCK && stack->block < end &&
	       stack->bytes <= MAX_BLOCK_BYTES && below < stack->bytes &&
	       stack->bytes - below <= MAX_BYTES_ABOVE &&
	       stack->guard_bytes < below;
}

/* Where libc has no such words no stack is the thread's own: all is copied. */
static uintptr_t noted_start(uintptr_t end)
{
	const uintptr_t *words = (const uintptr_t *)pthread_self();

	if (end - (uintptr_t)words > CONTROL_BLOCK_BYTES)
		return end;
	for (size_t i = 0; i < CONTROL_BLOCK_BYTES / sizeof(*words) - 2; i++) {
		const struct noted_stack *stack = (const void *)&words[i];

		if (is_around(stack, end))
			return stack->block + stack->guard_bytes;
	}
	return end;
}

static cold void find_start(uintptr_t end)
{
	start = end == first_end ? end - first_bytes : noted_start(end);
	floor_page = end / PAGE_BYTES * PAGE_BYTES;
}

/* Moves the floor down to page, or as far as it goes now. */
static cold bool lower_floor(uintptr_t page)
{
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

	if (unlikely(!floor_page))
		find_start(end);
	if (sp < start || end - sp > MAX_STACK_BYTES)
		return 0;
	if (unlikely(sp < floor_page) &&
	    !lower_floor(sp / PAGE_BYTES * PAGE_BYTES))
		return 0;
	return end;
}

uintptr_t own_stack_room(uintptr_t sp)
{
	uintptr_t end = end_of_stack();

	if (unlikely(!floor_page))
		find_start(end);
	return sp < start || sp >= end ? 0 : sp - start;
}

bool own_stack_has(uintptr_t address)
{
	return first_end - address < FIRST_STACK_BYTES ||
	       own_stack_end(address);
}
