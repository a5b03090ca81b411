/*
 * The calling thread's own stack.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/stacks/own_stack.h"

#include <pthread.h>
#include <sys/resource.h>

#include "base/atomic.h"
#include "sigsafe/os/sys.h"

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

/* Of what the kernel has put there the program's entry leaves no more free. */
#define FIRST_GAP 64u

/*
 * What libc leaves free at the end of each other thread's, as it is of one size
 * in all of them: the least that has been seen, since nothing begins above.
 * Relaxed: it tells of nothing else.
 */
static uint32_t least_gap = UINT32_MAX;

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

/* Words of a buffer for a thread's clean-up, up to the one before it. */
#define BUFFER_WORDS 16u

/* Does one of these words point into [from, to)? They may not be there. */
static bool points_into(uintptr_t words, size_t count, uintptr_t from,
			uintptr_t to)
{
	for (size_t i = 0; i < count; i++)
		if (machine_read(words + i * sizeof(words)) - from < to - from)
			return true;
	return false;
}

/*
 * libc's first function in a thread has a buffer in its frame, for the thread's
 * end, which the control block points to; or to one that points there, while
 * the program has a clean-up of its own to be made (pthread_cleanup_push(3)).
 */
static bool has_libcs_buffer(uintptr_t frame, uintptr_t end)
{
	uintptr_t block = (uintptr_t)pthread_self(), word;
	size_t count = CONTROL_BLOCK_BYTES / sizeof(word);

	if (points_into(block, count, frame, end))
		return true;
	for (size_t i = 0; i < count; i++) {
		word = machine_read(block + i * sizeof(word));
		if (word - start < frame - start &&
		    points_into(word, BUFFER_WORDS, frame, end))
			return true;
	}
	return false;
}

static void lower_gap(uint32_t gap)
{
	uint32_t seen = load_relaxed(&least_gap);

	while (gap < seen && !cas_acq_rel(&least_gap, &seen, gap))
		;
}

bool own_stack_begins_at(uintptr_t sp, uintptr_t called)
{
	uintptr_t end = end_of_stack(), gap = end - sp;

	if (unlikely(!floor_page))
		find_start(end);
	if (__builtin_thread_pointer() == first_thread)
		return gap <= FIRST_GAP;
	if (gap < own_stack_gap() && has_libcs_buffer(called, sp))
		lower_gap((uint32_t)gap);
	return gap == own_stack_gap();
}

uint32_t own_stack_gap(void)
{
	return load_relaxed(&least_gap);
}

bool own_stack_has(uintptr_t address)
{
	return first_end - address < FIRST_STACK_BYTES ||
	       own_stack_end(address);
}
