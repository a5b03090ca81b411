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
} parts[SECTION_COUNT] = {
	[SECTION_MODULES] = { sizeof(struct module_record), 32 },
	[SECTION_THREADS] = { sizeof(struct thread_record), 40 },
	[SECTION_LOCKS] = { sizeof(struct lock_record), 128 },
	[SECTION_SAMPLES] = { sizeof(struct sample_record), 160 },
	[SECTION_EVENTS] = { sizeof(struct event_record), 64 },
	[SECTION_WAITERS] = { sizeof(struct waiter_record), 16 },
	[SECTION_STACK_INDEX] = { sizeof(uint32_t), 16 },
	[SECTION_STACKS] = { sizeof(uint64_t), 0 },
};

static uint64_t align(uint64_t offset)
{
	return (offset + LINE - 1) / LINE * LINE;
}

void layout_sections(struct recording *rec, uint64_t bytes)
{
	uint64_t offset = align(sizeof(*rec));

	rec->version = RECORDING_VERSION;
	rec->header_bytes = sizeof(*rec);
	rec->size_bytes = bytes;
	for (int i = 0; i < SECTION_COUNT; i++) {
		uint64_t room = parts[i].per_1024
					? bytes / 1024 * parts[i].per_1024
					: bytes - offset;

		rec->section[i] = (struct section){
			.offset = offset,
			.record_bytes = parts[i].record_bytes,
			.capacity = (uint32_t)(room / parts[i].record_bytes),
		};
		offset = align(offset + room);
	}
	/* Module 0 is no module, word 0 of the arena is never used. */
	rec->section[SECTION_MODULES].used = 1;
	rec->section[SECTION_STACKS].used = 1;
}
