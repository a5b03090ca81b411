/*
 * Holders.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/holder.h"

#include <errno.h>
#include <sys/resource.h>

#include "sigsafe/process.h"
#include "sigsafe/sys.h"

uint32_t holder_self(void)
{
	return (uint32_t)sys_gettid();
}

/* By a question about it: to send it nothing one would have to know its
 * process. */
bool holder_is_gone(uint32_t holder)
{
	return process_memory() &&
	       sys4(SYS_prlimit64, holder, RLIMIT_NOFILE, NULL, NULL) == -ESRCH;
}
