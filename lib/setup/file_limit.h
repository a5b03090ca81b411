/*
 * RLIMIT_FSIZE: a file that grows past it kills the host (SIGXFSZ), so the
 * limit is asked first. The host may lower it at any time.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_FILE_LIMIT_H
#define SETUP_FILE_LIMIT_H

#include <sys/resource.h>

#include "sigsafe/os/sys.h"

/* May a file be so large? Signal-safe. */
static inline bool file_limit_allows(uint64_t bytes)
{
	struct rlimit limit;

	return sys4(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit) ||
	       bytes <= limit.rlim_cur;
}

#endif
