/*
 * Holders.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/holder.h"

#include <errno.h>
#include <sys/resource.h>

#include "sigsafe/live.h"
#include "sigsafe/process.h"
#include "sigsafe/sys.h"

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

uint32_t holder_self(void)
{
	uint32_t self = (uint32_t)sys_gettid();

	return process_memory() || is_child() ? self : self | ELSEWHERE;
}

/* By a question about it: to send it nothing one would have to know its
 * process. */
bool holder_is_gone(uint32_t holder)
{
	return !(holder & ELSEWHERE) && process_memory() &&
	       sys4(SYS_prlimit64, holder, RLIMIT_NOFILE, NULL, NULL) == -ESRCH;
}
