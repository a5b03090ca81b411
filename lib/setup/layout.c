/*
 * The layout: each table gets its part of the memory, the stack arena the rest.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/layout.h"

/* Alignment of a section: a cache line, and 16 for the ledgers. */
#define LINE 64u

static const struct part {
	uint32_t record_bytes;
	uint32_t per_1024; /* of the memory; 0: all that is left */
	uint32_t most;	   /* records; 0: as many as there is room for */
} parts[SECTION_COUNT] = {
	[SECTION_MODULES] = { sizeof(struct module_record), 32 },
	[SECTION_THREADS] = { sizeof(struct thread_record), 40 },
	[SECTION_LOCKS] = { sizeof(struct lock_record), 128 },
	[SECTION_SAMPLES] = { sizeof(struct sample_record), 160 },
	[SECTION_EVENTS] = { sizeof(struct event_record), 64 },
	/* It is searched when a stall is entered. */
	[SECTION_LONGEST] = { sizeof(struct longest_record), 8, 256 },
	[SECTION_HISTOGRAMS] = { sizeof(struct histogram), 96 },
	[SECTION_WAITERS] = { sizeof(struct waiter_record), 16 },
	[SECTION_STACK_INDEX] = { sizeof(uint32_t), 16 },
	[SECTION_STACKS] = { sizeof(uint64_t), 0 },
};

uint64_t layout_align(uint64_t offset)
{
	return (offset + LINE - 1) / LINE * LINE;
}

static uint32_t capacity_of(const struct part *part, uint64_t bytes,
			    uint64_t offset)
{
	uint64_t room =
		part->per_1024 ? bytes / 1024 * part->per_1024 : bytes - offset;
	uint64_t capacity = room / part->record_bytes;

	return (uint32_t)(part->most ? min_u64(capacity, part->most)
				     : capacity);
}

void layout_sections(struct recording *rec, uint64_t bytes)
{
	uint64_t offset = layout_align(sizeof(*rec));

	rec->version = RECORDING_VERSION;
	rec->header_bytes = sizeof(*rec);
	rec->size_bytes = bytes;
	for (int i = 0; i < SECTION_COUNT; i++) {
		uint32_t capacity = capacity_of(&parts[i], bytes, offset);

		rec->section[i] = (struct section){
			.offset = offset,
			.record_bytes = parts[i].record_bytes,
			.capacity = capacity,
		};
		offset = layout_align(offset + (uint64_t)capacity *
						       parts[i].record_bytes);
	}
	/* Module 0 is no module, word 0 of the arena is never used. */
	rec->section[SECTION_MODULES].used = 1;
	rec->section[SECTION_STACKS].used = 1;
}
