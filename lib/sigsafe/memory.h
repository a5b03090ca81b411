/*
 * Reading memory that may not be there. A walk follows addresses that can be
 * anything, so each page is proven readable before the first read in it: the
 * kernel is asked to read a signal set there, by a call that then fails for
 * another reason and changes nothing. Signal-safe.
 *
 * What is proven counts for one walk: another thread may unmap it later.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_MEMORY_H
#define SIGSAFE_MEMORY_H

#include "base/units.h"

#define PAGE_BYTES   4096u
#define MEMORY_PAGES 8

/*
 * What one walk knows to be readable: two ranges for the reads that come next
 * to each other, and pages. A word may begin in [start, start + room).
 */
struct memory {
	struct memory_range {
		uintptr_t start;
		uintptr_t room;
	} segment, recent; /* of a loaded object; the page proven last */
	uintptr_t page[MEMORY_PAGES]; /* a ring; 0: none */
	unsigned next;
	/* Reads left: what loops in bad unwind information ends here. */
	unsigned budget;
};

/* Nothing is known yet but the page of `mine`, an object of the caller's. */
void memory_begin(struct memory *memory, const void *mine);

/* Trusts a segment of an object that is loaded, instead of the last one. */
void memory_trust(struct memory *memory, uintptr_t start, uintptr_t end);

/* Proves the word at address to be readable. */
bool memory_prove(struct memory *memory, uintptr_t address);

static inline bool memory_is_in(struct memory_range range, uintptr_t address)
{
	return address - range.start < range.room;
}

/*
 * Other functions' frames are read here, which sanitizers object to. The word
 * has been proven readable.
 */
__attribute__((no_sanitize("address", "thread"))) static inline uint64_t
memory_word(uintptr_t address)
{
	typedef uint64_t word __attribute__((aligned(1), may_alias));

	return *(const word *)address;
}

/* Reads the word at address, of any alignment; false: it can't be read. */
static inline bool memory_read(struct memory *memory, uintptr_t address,
			       uint64_t *value)
{
	if (!memory->budget)
		return false;
	memory->budget--;
	if (!memory_is_in(memory->segment, address) &&
	    !memory_is_in(memory->recent, address) &&
	    !memory_prove(memory, address))
		return false;
	*value = memory_word(address);
	return true;
}

/* Can every byte of [start, start + bytes) be read just now? */
bool memory_is_readable(const void *start, size_t bytes);

/*
 * Can the words at both ends of these bytes, a page's worth at most, be written
 * just now? What was there is lost.
 */
bool memory_can_be_written(void *start, size_t bytes);

/*
 * Does the kernel tell readable memory from other memory? unreadable: a page
 * that is known not to be. If not, no walk is safe.
 */
bool memory_can_be_probed(const void *unreadable);

#endif
