/*
 * The check of a copy's header. Owns what is known of each section.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct kind {
	const char *name;
	uint32_t record_bytes;
	uint32_t alignment;
} kinds[SECTION_COUNT] = {
	[SECTION_MODULES] = { "modules", sizeof(struct module_record), 8 },
	[SECTION_THREADS] = { "threads", sizeof(struct thread_record), 8 },
	[SECTION_LOCKS] = { "locks", sizeof(struct lock_record),
			    _Alignof(struct lock_record) },
	[SECTION_SAMPLES] = { "samples", sizeof(struct sample_record), 8 },
	[SECTION_EVENTS] = { "events", sizeof(struct event_record), 8 },
	[SECTION_LONGEST] = { "longest stalls", sizeof(struct longest_record),
			      8 },
	[SECTION_HISTOGRAMS] = { "histograms", sizeof(struct histogram), 4 },
	[SECTION_WAITERS] = { "waiters", sizeof(struct waiter_record), 8 },
	[SECTION_STACK_INDEX] = { "stack index", sizeof(uint32_t), 4 },
	[SECTION_STACKS] = { "stacks", sizeof(uint64_t), 8 },
};

struct fault {
	char *text;
	size_t size;
};

static bool refuse(struct fault fault, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static bool refuse(struct fault fault, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(fault.text, fault.size, format, arguments);
	va_end(arguments);
	return false;
}

static uint64_t section_bytes(const struct section *section)
{
	return (uint64_t)section->record_bytes * section->capacity;
}

static bool check_section(const struct recording *header, int which,
			  struct fault fault)
{
	const struct section *section = &header->section[which];
	const struct kind *kind = &kinds[which];

	if (section->record_bytes != kind->record_bytes)
		return refuse(fault, "has %s of another size: %u bytes",
			      kind->name, section->record_bytes);
	if (!section->capacity || section->offset % kind->alignment ||
	    section->offset < sizeof(*header) ||
	    section->offset > header->size_bytes ||
	    section_bytes(section) > header->size_bytes - section->offset)
		return refuse(fault, "is damaged: its %s lie outside",
			      kind->name);
	return true;
}

static bool do_overlap(const struct section *a, const struct section *b)
{
	return a->offset < b->offset + section_bytes(b) &&
	       b->offset < a->offset + section_bytes(a);
}

static bool check_sections(const struct recording *header, struct fault fault)
{
	for (int i = 0; i < SECTION_COUNT; i++) {
		if (!check_section(header, i, fault))
			return false;
		for (int j = 0; j < i; j++) {
			if (do_overlap(&header->section[i],
				       &header->section[j]))
				return refuse(fault,
					      "is damaged: its %s lie "
					      "in its %s",
					      kinds[i].name, kinds[j].name);
		}
	}
	return true;
}

/* Ends a string in its room. */
#define end_string(array) ((array)[sizeof(array) - 1] = '\0')

static bool end_patterns(struct thresholds *thresholds)
{
	for (int i = 0; i < MAX_THRESHOLDS; i++)
		end_string(thresholds->named[i].pattern);
	return thresholds->count <= MAX_THRESHOLDS;
}

bool check_header(struct recording *header, uint64_t file_bytes, char *text,
		  size_t size)
{
	struct fault fault = { .text = text, .size = size };

	if (memcmp(header->magic, RECORDING_MAGIC, sizeof(header->magic)))
		return refuse(fault, "is no recording");
	if (header->version != RECORDING_VERSION)
		return refuse(fault,
			      "is a recording of format %u; this stallshim "
			      "reads format %u",
			      header->version, RECORDING_VERSION);
	if (header->header_bytes != sizeof(*header))
		return refuse(fault, "has a header of %u bytes in place of %zu",
			      header->header_bytes, sizeof(*header));
	if (header->size_bytes > file_bytes)
		return refuse(fault, "is cut short: %ju of %ju bytes are there",
			      (uintmax_t)file_bytes,
			      (uintmax_t)header->size_bytes);
	end_string(header->comm);
	end_string(header->host);
	end_string(header->version_text);
	if (!end_patterns(&header->thresholds))
		return refuse(fault, "is damaged: has %u thresholds",
			      header->thresholds.count);
	return check_sections(header, fault);
}
