/*
 * How far up its stack a walk reads where it lies. Owns the ways that threads
 * know. Signal-safe.
 *
 * What lies above a stack pointer need not be stack: coroutines lie within the
 * stacks of threads, too, with gaps that come and go, and what a switch of
 * stacks calls has rules that lead across. But a frame that its thread returns
 * to lies in memory that stays, or the thread could not return. So a page is
 * read where it lies only as far as it is shown to have a frame:
 *
 *   the page of sp        the thread's next call writes to it
 *   the page a frame      if the same frame, which is the same code with the
 *   leads to              same stack pointer and the same end, has led there
 *                         before, and STACK_REACH_FRAMES more, or the outermost
 *                         one, were found from there on
 *
 * Believed in error would be frames in the thread's own stack that have
 * returned, exactly where wrong rules lead, and as many of them; or frames that
 * the thread will not return to, which anybody may unmap, also while they are
 * read. That is a fault, which is survived: the load gives 0 (machine_read(),
 * sigsafe/signals/fault.h), the walk ends there, is counted as cut short by
 * memory that can't be read, and its thread knows no ways any more. While the
 * host ignores SIGSEGV or SIGBUS it would not be survived, so that all ways
 * count as new.
 *
 * All else is copied by the kernel (sigsafe/os/memory.h), so that what leads
 * astray harms nobody the first time; and as it finds no more frames it is not
 * kept. Ways are kept on the thread's own stack only: elsewhere all is copied.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WALK_STACK_REACH_H
#define SIGSAFE_WALK_STACK_REACH_H

#include "sigsafe/os/memory.h"
#include "sigsafe/thread.h"

/* Nonsense does not look like so many frames, one above the other. */
#define STACK_REACH_FRAMES 8u

/* New ways kept of one walk: a stack of more pages takes more walks. */
#define STACK_REACH_NEW 4u

struct stack_reach {
	uintptr_t end; /* of the thread's own stack; 0: not walked on */
	struct memory *memory;
	uint32_t lost_reads; /* the thread's, when the walk began */
	unsigned count;
	uint16_t seen[STACK_REACH_NEW]; /* frames found before */
	uint64_t found[STACK_REACH_NEW];
};

/* A walk begins at the thread's stack pointer: memory may be read from there.
 */
void stack_reach_begin(struct stack_reach *reach, struct memory *memory,
		       uintptr_t sp);

/* As stack_reach_to(), of what is not read yet. */
void stack_reach_further(struct stack_reach *reach, uintptr_t pc, uintptr_t sp,
			 uintptr_t to, unsigned seen);

/*
 * The last words of code's frame are read next: it is at pc, its frame begins
 * at sp and ends at `to`. seen: frames found so far.
 */
static inline void stack_reach_to(struct stack_reach *reach, uintptr_t pc,
				  uintptr_t sp, uintptr_t to, unsigned seen)
{
	if (unlikely(!memory_is_in(reach->memory->segment,
				   to - sizeof(uint64_t))))
		stack_reach_further(reach, pc, sp, to, seen);
}

/*
 * memory_read(), of a frame. What is read where it lies takes nothing from the
 * budget: there are only so many frames.
 */
static inline bool stack_reach_read(struct memory *memory, uintptr_t address,
				    uint64_t *value)
{
	if (unlikely(!memory_is_in(memory->segment, address)))
		return memory_read(memory, address, value);
	*value = machine_read(address);
	return true;
}

/* A signal's frame leads to the stack it has interrupted, `to` its pointer. */
void stack_reach_over_signal(struct stack_reach *reach, uintptr_t pc,
			     uintptr_t sp, uintptr_t to, unsigned seen);

/* Are there ways that the thread did not know? */
static inline bool stack_reach_is_new(const struct stack_reach *reach)
{
	return reach->count;
}

/* The walk has ended. seen: frames found in all; to_end: and the outermost. */
void stack_reach_keep(const struct stack_reach *reach, unsigned seen,
		      bool to_end);

/* The thread knows no ways any more. */
void stack_reach_forget(void);

/*
 * To be asked when the walk has ended: has a way that was known led to what is
 * gone? Then the walk is cut where it was, and no way is known any more.
 */
static inline bool stack_reach_has_lost(const struct stack_reach *reach)
{
	if (likely(thread_self.lost_reads == reach->lost_reads))
		return false;
	stack_reach_forget();
	return true;
}

#endif
