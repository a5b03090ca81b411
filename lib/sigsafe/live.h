/*
 * The live recording: where this process records, if it does. Owns the pointer
 * to the mapped file and the count of what was lost.
 *
 * The pointer lives in a page the kernel wipes in a forked child
 * (MADV_WIPEONFORK), so a child can't write into its parent's file: it finds
 * NULL and starts afresh at its first event.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LIVE_H
#define SIGSAFE_LIVE_H

#include "base/atomic.h"
#include "base/format.h"

struct live {
	struct recording *recording; /* NULL: none. Written by lib/setup */
	int32_t owner; /* sigsafe/process.h's: whose memory this is, or 0 */
};

extern struct live *live_page;

/* Makes the page. False: this kernel can't wipe one. Once, at the start. */
bool live_make_page(void);

/* The recording, or NULL: not started, forked, or over. Signal-safe. */
static inline struct recording *live_recording(void)
{
	return load_acquire(&live_page->recording);
}

/* Counts something left out, if there is a recording. Signal-safe. */
static inline void live_count_lost(enum lost_reason reason)
{
	struct recording *rec = live_recording();

	if (rec)
		add_relaxed(&rec->lost[reason], 1);
}

#endif
