/*
 * The ways up a stack that its thread knows: those of all threads in one table,
 * as thread-local memory is scarce (sigsafe/loops/loop.h). A word tells whose
 * it is.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walk/stack_reach.h"

#include "base/atomic.h"
#include "base/hash.h"
#include "sigsafe/signals/disposition.h"
#include "sigsafe/stacks/own_stack.h"

/* A set is a line of the cache: that is what one way costs to be looked up. */
#define SETS   2048u
#define IN_SET 8u

/* Below the end of a large frame, what of it may be read: saved registers. */
#define SAVED_BYTES 512u

/*
 * One word each, 0: none, as a handler may come between any two instructions.
 * The one that was entered last is the first of its set. Relaxed, as a word
 * stands for itself; one that two threads enter at once may be lost, or stay
 * twice.
 */
static uint64_t known[SETS][IN_SET] __attribute__((aligned(64)));

/* Of threads, and of those that have forgotten what they knew. */
static uint32_t numbers;

static uint64_t word_of(uintptr_t pc, uintptr_t sp, uintptr_t to)
{
	uint64_t word = hash_mix(thread_self.ways);

	word = hash_add(word, pc);
	word = hash_add(word, sp);
	word = hash_add(word, to);
	return (word ^ word >> 32) | 1;
}

static uint64_t *set_of(uint64_t word)
{
	return known[hash_slot(word, SETS)];
}

static bool is_known(uint64_t word)
{
	const uint64_t *set = set_of(word);

	for (unsigned i = 0; i < IN_SET; i++)
		if (load_relaxed(&set[i]) == word)
			return true;
	return false;
}

/* The page of the byte in front of `to` may be read, but not below start. */
static void trust(struct stack_reach *reach, uintptr_t start, uintptr_t to)
{
	uintptr_t page = (to - 1) / PAGE_BYTES * PAGE_BYTES;

	memory_trust(reach->memory, start, page + PAGE_BYTES);
}

static bool take(struct stack_reach *reach, uint64_t word, unsigned seen)
{
	if (disposition_ignores_faults())
		return false;
	if (is_known(word))
		return true;
	if (reach->count < STACK_REACH_NEW) {
		reach->seen[reach->count] = (uint16_t)seen;
		reach->found[reach->count++] = word;
	}
	return false;
}

void stack_reach_begin(struct stack_reach *reach, struct memory *memory,
		       uintptr_t sp)
{
	if (unlikely(!thread_self.ways))
		stack_reach_forget();
	reach->memory = memory;
	reach->lost_reads = thread_self.lost_reads;
	reach->count = 0;
	reach->end = own_stack_end(sp);
	if (reach->end)
		trust(reach, sp, sp);
}

static bool is_in_same_page(uintptr_t sp, uintptr_t to)
{
	return (sp - 1) / PAGE_BYTES == (to - 1) / PAGE_BYTES;
}

cold void stack_reach_further(struct stack_reach *reach, uintptr_t pc,
			      uintptr_t sp, uintptr_t to, unsigned seen)
{
	if (to <= sp || to > reach->end || is_in_same_page(sp, to))
		return;
	if (take(reach, word_of(pc, sp, to), seen))
		trust(reach, max_u64(sp, to - SAVED_BYTES), to);
}

cold void stack_reach_over_signal(struct stack_reach *reach, uintptr_t pc,
				  uintptr_t sp, uintptr_t to, unsigned seen)
{
	reach->end = own_stack_end(to);
	memory_trust(reach->memory, 0, 0);
	if (reach->end && take(reach, word_of(pc, sp, to), seen))
		trust(reach, to, to);
}

cold void stack_reach_forget(void)
{
	thread_self.ways = add_relaxed(&numbers, 1) + 1;
}

static void enter(uint64_t word)
{
	uint64_t *set = set_of(word);

	for (unsigned i = IN_SET - 1; i > 0; i--)
		store_relaxed(&set[i], load_relaxed(&set[i - 1]));
	store_relaxed(&set[0], word);
}

cold void stack_reach_keep(const struct stack_reach *reach, unsigned seen,
			   bool to_end)
{
	for (unsigned i = 0; i < reach->count; i++)
		if (to_end || reach->seen[i] + STACK_REACH_FRAMES <= seen)
			enter(reach->found[i]);
}
