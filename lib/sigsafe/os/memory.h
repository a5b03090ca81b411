/*
 * Reading memory that may not be there. A walk follows addresses that can be
 * anything, and what is at one of them another thread may unmap at any moment.
 * So nothing is read where it lies but what of the thread's own stack is shown
 * to stay, and a fault there is survived (sigsafe/walk/stack_reach.h): all else
 * the kernel copies, by process_vm_readv(2) on ourselves, which fails where a
 * read of ours would be a fault. No time passes between proof and reading.
 * Signal-safe.
 *
 * That call costs seven times as much as a short one. What can't be unmapped
 * (the objects that a program starts with) is instead proven page by page and
 * then read: the kernel is asked to read a signal set there, by a call that
 * fails for another reason and changes nothing. So is everything where
 * process_vm_readv(2) is not to be called (a seccomp filter may kill for it:
 * memory_start()) or does not do its work, which is counted: LOST_COPY.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_OS_MEMORY_H
#define SIGSAFE_OS_MEMORY_H

#include "base/units.h"
#include "sigsafe/os/machine.h"

#define PAGE_BYTES 4096u

/*
 * Copied at once. Larger ones would save system calls on stacks that are not
 * the thread's own, where 30 frames are some 3 KB; but they lie on the host's.
 */
#define MEMORY_WINDOW_BYTES 256u
#define MEMORY_PAGES	    (MEMORY_WINDOW_BYTES / sizeof(uintptr_t))

/*
 * What one walk reads. Two ranges are read where they lie: a word may begin in
 * [start, start + room). The window has a copy of what begins at copied.
 */
struct memory {
	struct memory_range {
		uintptr_t start;
		uintptr_t room;
	} segment, mine; /* of the own stack; the page of the caller's object */
	uintptr_t copied;
	size_t copied_bytes;
	/* Reads left: what loops in bad unwind information ends here. */
	unsigned budget;
	bool is_lasting;  /* what comes next: see memory_expect_lasting() */
	bool has_failed;  /* something could not be read */
	bool holds_pages; /* and copied_bytes is 0; or it holds a copy */
	union {
		uint8_t window[MEMORY_WINDOW_BYTES];
		/* By page number: what lasts and has been proven; or 0. */
		uintptr_t page[MEMORY_PAGES];
	};
};

/* Nothing is known yet but the page of `mine`, an object of the caller's. */
void memory_begin(struct memory *memory, const void *mine);

/* Trusts a segment of the thread's own stack, instead of the last one. */
void memory_trust(struct memory *memory, uintptr_t start, uintptr_t end);

/*
 * Is what is read from now on never unmapped? (Its file may be cut short: so it
 * is proven all the same.)
 */
static inline void memory_expect_lasting(struct memory *memory, bool is_lasting)
{
	memory->is_lasting = is_lasting;
}

/* As memory_view(), of what the window does not hold. */
const uint8_t *memory_fetch(struct memory *memory, uintptr_t address,
			    size_t bytes);

/*
 * These bytes, 64 at most, or a copy, which is good until the next one; or
 * NULL: they can't be read.
 */
static inline const uint8_t *memory_view(struct memory *memory,
					 uintptr_t address, size_t bytes)
{
	size_t offset = address - memory->copied;

	if (offset < memory->copied_bytes &&
	    bytes <= memory->copied_bytes - offset)
		return memory->window + offset;
	return memory_fetch(memory, address, bytes);
}

static inline bool memory_is_in(struct memory_range range, uintptr_t address)
{
	return address - range.start < range.room;
}

/*
 * Other functions' frames are read here, which sanitizers object to. The word
 * is known to be readable.
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
	const uint8_t *view;

	if (!memory->budget)
		return false;
	memory->budget--;
	if (memory_is_in(memory->segment, address) ||
	    memory_is_in(memory->mine, address)) {
		*value = machine_read(address);
		return true;
	}
	view = memory_view(memory, address, sizeof(*value));
	if (view)
		*value = memory_word((uintptr_t)view);
	return view;
}

/* Copies what another thread may unmap just now; false: it can't be read. */
bool memory_copy(void *to, const void *from, size_t bytes);

/*
 * Called once, at the start. may_copy: process_vm_readv(2) may be called; it is
 * not until then, nor later where it does not copy what it is asked for.
 */
void memory_start(bool may_copy);

/* Can every byte of [start, start + bytes) be read just now? */
bool memory_is_readable(const void *start, size_t bytes);

/*
 * Can the words at both ends of these bytes, a page's worth at most, be written
 * just now? If so, what was there is lost.
 */
bool memory_can_be_written(void *start, size_t bytes);

/*
 * Does the kernel tell readable memory from other memory? unreadable: a page
 * that is known not to be. If not, no walk is safe.
 */
bool memory_can_be_probed(const void *unreadable);

#endif
