/*
 * The live recording: where this process records, if it does. Owns the pointer
 * to the mapped file, what this process knows of it, and the count of what was
 * lost.
 *
 * The pointer lives in a page the kernel wipes in a forked child
 * (MADV_WIPEONFORK), so a child can't write into its parent's file: it finds
 * NULL and starts afresh at its first event.
 *
 * Nothing in the file is trusted: whoever may write to it can spoil what it
 * says, but not harm the program. What is constant in its header is therefore
 * read from live_header, in memory of our own; and a word that must lie in the
 * file is checked before it is an index, a length or a divisor, and kept
 * meanwhile, since the file may change between two reads.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LIVE_H
#define SIGSAFE_LIVE_H

#include "base/atomic.h"
#include "base/format.h"

struct live {
	struct recording *recording; /* NULL: none. Written by lib/setup */
	/* sigsafe/os/process.h's: this memory's number, or 0; and whose it is.
	 */
	uint32_t memory;
	int32_t owner;
	bool owner_has_list;
};

extern struct live *live_page;

/*
 * The header as it was made: where the sections lie, and all that is constant
 * from the start. Its state is not kept up. Written by live_begin().
 */
extern struct recording live_header;

/* Records into rec from now on, whose header is complete. Signal-safe. */
void live_begin(struct recording *rec);

/* Makes the page. False: this kernel can't wipe one. Once, at the start. */
bool live_make_page(void);

/*
 * The program enters seccomp: from now on no system call of ours may be made
 * that it does not make itself. There will be no other recording, nor in its
 * children. Signal-safe.
 */
void live_leave(void);

/* Has it? Signal-safe. */
bool live_is_left(void);

/* The recording, or NULL: not started, forked, or over. Signal-safe. */
static inline struct recording *live_recording(void)
{
	return load_acquire(&live_page->recording);
}

/*
 * The file does not reach that far any more: if address is in the recording,
 * memory of zeroes takes the place of all of it. Of two threads at once each
 * does so, and what is lost was lost before. False: it is another's address, or
 * there is no memory. Signal-safe.
 */
bool live_replace(const void *address);

/*
 * Is what is constant in the header of rec, the live recording, as it was made?
 * If not, somebody else has written to the file, or cut it. Signal-safe.
 */
bool live_is_intact(const struct recording *rec);

/* The records of a section of the live recording. Signal-safe. */
static inline void *live_records(const struct recording *rec,
				 enum recording_section which)
{
	return (char *)(uintptr_t)rec + live_header.section[which].offset;
}

/* How many of them there is room for. Signal-safe. */
static inline uint32_t live_capacity(enum recording_section which)
{
	return live_header.section[which].capacity;
}

/* Counts something left out, if there is a recording. Signal-safe. */
static inline void live_count_lost(enum lost_reason reason)
{
	struct recording *rec = live_recording();

	if (rec)
		add_relaxed(&rec->lost[reason], 1);
}

#endif
