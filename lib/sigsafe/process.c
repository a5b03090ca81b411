/*
 * Whose memory this is.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/process.h"

#include "sigsafe/live.h"
#include "sigsafe/sys.h"

void process_own_memory(void)
{
	/* Nobody will ask. */
	if (live_is_left())
		return;
	/* Relaxed: the number says all. */
	store_relaxed(&live_page->owner, sys_getpid());
}

int process_id(void)
{
	int pid = sys_getpid();
	int owner = load_relaxed(&live_page->owner);

	/* A copy that nobody has spoken for: a bare clone(2) made it. */
	if (unlikely(!owner))
		process_own_memory();
	return !owner || owner == pid ? pid : 0;
}
