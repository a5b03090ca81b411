/*
 * The lost file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/lost_file.h"

#include <string.h>
#include <sys/mman.h>

#include "sigsafe/live.h"
#include "sigsafe/sys.h"

/* Written when a recording starts, and constant while it is live. */
static struct recording header;
static void (*say_it)(void);

static uint32_t is_lost; /* 1: it has been said, too */

void lost_file_prepare(const struct recording *rec, void (*says)(void))
{
	memcpy(&header, rec, sizeof(header));
	header.frozen = 1;
	say_it = says;
	/* Relaxed: before any fault of the recording that starts now. */
	store_relaxed(&is_lost, 0);
}

static bool is_in(const struct recording *rec, const void *address)
{
	return rec && (uintptr_t)address - (uintptr_t)rec < header.size_bytes;
}

/* In one step: no other thread finds a hole, or a header without a layout. */
static bool replace(struct recording *rec)
{
	long fresh = sys6(SYS_mmap, 0, (long)header.size_bytes,
			  PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	if (sys_failed(fresh))
		return false;
	memcpy((void *)fresh, &header, sizeof(header));
	return !sys_failed(sys6(SYS_mremap, fresh, (long)header.size_bytes,
				(long)header.size_bytes,
				MREMAP_MAYMOVE | MREMAP_FIXED, (long)rec, 0));
}

bool lost_file_replace(const siginfo_t *info)
{
	struct recording *rec = live_recording();
	uint32_t before = 0;

	if (info->si_code != BUS_ADRERR || !is_in(rec, info->si_addr) ||
	    !replace(rec))
		return false;
	/* The only one to say it; nothing is read through it. */
	if (cas_acq_rel(&is_lost, &before, 1))
		say_it();
	return true;
}
