/*
 * What the header says.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/header.h"

#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>

#include "sigsafe/os/clock.h"
#include "sigsafe/os/sys.h"

void header_fill(struct recording *rec, const struct options *options)
{
	struct utsname host;
	struct timespec now;

	rec->pid = sys_getpid();
	rec->depth = options->depth;
	sys2(SYS_prctl, PR_GET_NAME, rec->comm);
	if (sys1(SYS_uname, &host) == 0)
		memcpy(rec->host, host.nodename, HOST_BYTES - 1);
	strcpy(rec->version_text, STALLSHIM_VERSION);
	clock_get(CLOCK_REALTIME, &now);
	rec->start_ns = clock_now_ns();
	rec->start_realtime_ns =
		(uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
	rec->thresholds = options->thresholds;
	rec->min_wait_ns = options->min_wait_ns;
	rec->rate_ns = options->rate_ns;
	rec->watches_locks = options->mutex;
	rec->watches_waiters = options->waiters;
	rec->charges_like_go = options->charge_go;
}
