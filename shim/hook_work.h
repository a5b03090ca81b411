/*
 * Round a hooked call by which some threads wait for work, and most for
 * something else: to read, to accept, to sleep (lib/sigsafe/loops/park.h). In a
 * loop that has no such place that is two loads and a branch.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_WORK_H
#define SHIM_HOOK_WORK_H

#include "hook_park.h"

/*
 * What park_own_asks() asks. may_last: longer than for PARK_NEAR_NS, as far as
 * it is known; otherwise it teaches nothing.
 */
bool hook_work_asked(const struct call_site *from, bool may_last);

/* The same of one that lasts until others send something to its descriptor. */
bool hook_work_asked_of(const struct call_site *from, int fd);

/*
 * May the thread be parked in the call? Then hook_work_begin() is to follow,
 * and hook_work_end(). Otherwise the call may have become such a place.
 */
static inline bool hook_may_work(const struct call_site *from, bool may_last)
{
	return unlikely(park_own_asks(from)) && hook_work_asked(from, may_last);
}

static inline bool hook_may_work_at(const struct call_site *from, int fd)
{
	return unlikely(park_own_asks(from)) && hook_work_asked_of(from, fd);
}

/* No tick comes in it. */
static inline struct block hook_work_begin(enum blocking_call call,
					   const struct call_site *from,
					   enum block_end end)
{
	park_at_once(*from, end);
	return watch_block_begin(call, (const void *)from->pc);
}

/* works: was it begun so? Otherwise only the block, if any, is over. */
static inline void hook_work_end(bool works, const struct block *block)
{
	if (unlikely(works))
		park_end();
	watch_block_end(block);
}

#endif
