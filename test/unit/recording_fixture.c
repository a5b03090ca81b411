/*
 * A recording for unit tests, in anonymous memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "recording_fixture.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>

#include "setup/layout.h"
#include "sigsafe/live.h"

struct recording *fixture_recording(size_t bytes)
{
	struct recording *rec = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq((void *)rec, MAP_FAILED);
	layout_sections(rec, bytes);
	memcpy(rec->magic, RECORDING_MAGIC, sizeof(rec->magic));
	live_begin(rec);
	return rec;
}

uint64_t fixture_lost(enum lost_reason reason)
{
	return load_relaxed(&live_recording()->lost[reason]);
}
