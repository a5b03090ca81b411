/*
 * The snapshot. It is laid out for what there is to copy: memory may be short.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/snapshot.h"

#include <string.h>
#include <sys/mman.h>

#include "base/atomic.h"
#include "setup/layout.h"
#include "sigsafe/live.h"
#include "sigsafe/os/sys.h"
#include "sigsafe/record/modules.h"

/* How much of a section is copied. */
static const struct part {
	enum {
		NOTHING,    /* it only serves to find records */
		WHOLE,	    /* a table: its records lie anywhere */
		USED,	    /* its records lie in order */
		FROM_MEMORY /* of our own */
	} extent;
	enum recording_section counted_in; /* whose `used` tells of it */
} parts[SECTION_COUNT] = {
	[SECTION_MODULES] = { FROM_MEMORY, SECTION_MODULES },
	[SECTION_THREADS] = { WHOLE, SECTION_THREADS },
	[SECTION_LOCKS] = { WHOLE, SECTION_LOCKS },
	[SECTION_SAMPLES] = { WHOLE, SECTION_SAMPLES },
	[SECTION_EVENTS] = { WHOLE, SECTION_EVENTS },
	[SECTION_LONGEST] = { WHOLE, SECTION_EVENTS },
	[SECTION_HISTOGRAMS] = { USED, SECTION_HISTOGRAMS },
	[SECTION_WAITERS] = { WHOLE, SECTION_LOCKS },
	[SECTION_STACK_INDEX] = { NOTHING, SECTION_STACKS },
	[SECTION_STACKS] = { USED, SECTION_STACKS },
};

/* What nobody has written to is not read: each page would be made. */
static uint32_t records_of(const struct recording *rec,
			   enum recording_section which)
{
	const struct part *part = &parts[which];
	uint32_t used = load_relaxed(&rec->section[part->counted_in].used);

	if (part->extent == NOTHING || (!used && part->extent != FROM_MEMORY))
		return 0;
	return part->extent == USED
		       ? (uint32_t)min_u64(used, live_capacity(which))
		       : live_capacity(which);
}

/* What is constant is as it was made, the rest as it is now. */
static struct recording header_of(const struct recording *rec)
{
	struct recording header = live_header;
	const size_t state = offsetof(struct recording, end);

	memcpy((char *)&header + state, (const char *)rec + state,
	       sizeof(header) - state);
	header.size_bytes = layout_align(sizeof(header));
	for (int i = 0; i < SECTION_COUNT; i++) {
		struct section *section = &header.section[i];

		section->offset = header.size_bytes;
		section->capacity = records_of(rec, i);
		section->used = load_relaxed(&rec->section[i].used);
		header.size_bytes += layout_align((uint64_t)section->capacity *
						  section->record_bytes);
	}
	return header;
}

struct recording *snapshot_take(const struct recording *rec)
{
	struct recording header = header_of(rec), *copy;
	long memory = sys6(SYS_mmap, 0, (long)header.size_bytes,
			   PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);

	if (sys_failed(memory))
		return NULL;
	copy = (struct recording *)memory;
	*copy = header;
	for (int i = 0; i < SECTION_COUNT; i++) {
		const struct section *section = &copy->section[i];

		if (parts[i].extent != FROM_MEMORY)
			memcpy(section_records(copy, i), live_records(rec, i),
			       (size_t)section->capacity *
				       section->record_bytes);
	}
	modules_copy(section_records(copy, SECTION_MODULES));
	return copy;
}

void snapshot_release(struct recording *copy)
{
	if (copy)
		sys2(SYS_munmap, copy, copy->size_bytes);
}
