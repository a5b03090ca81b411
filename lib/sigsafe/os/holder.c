/*
 * Holders.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/os/holder.h"

#include <errno.h>
#include <sys/resource.h>

#include "sigsafe/live.h"
#include "sigsafe/os/process.h"
#include "sigsafe/thread.h"

/* Whose id may be one of another namespace, where ours are others. */
#define ELSEWHERE (UINT32_C(1) << 31)

/*
 * Is the guest a child of this very process, and in its namespace? In another
 * one its parent has no id; or is the first process of that, as ours may be.
 */
static bool is_child(void)
{
	int owner = load_relaxed(&live_page->owner);

	return owner != 1 && sys0(SYS_getppid) == owner;
}

/* What costs more than the id: whose the memory is. */
static cold uint32_t find_self(int tid)
{
	bool is_own = process_memory();

	if (is_own)
		thread_self.holder = tid;
	return is_own || is_child() ? (uint32_t)tid : (uint32_t)tid | ELSEWHERE;
}

/*
 * A guest has the same words, and another id; or in its namespace the same one.
 * But that is not found to be gone, as long as its thread is there.
 */
uint32_t holder_self(void)
{
	int tid = sys_gettid();

	return likely(tid == thread_self.holder) ? (uint32_t)tid
						 : find_self(tid);
}

/* By a question about it: to send it nothing one would have to know its
 * process. */
bool holder_is_gone(uint32_t holder)
{
	return !(holder & ELSEWHERE) && process_memory() &&
	       sys4(SYS_prlimit64, holder, RLIMIT_NOFILE, NULL, NULL) == -ESRCH;
}
