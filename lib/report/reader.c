/*
 * The reader: how a recording gets from the file into private memory, while
 * its writer may go on writing.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check_records.h"
#include "report/check.h"

static bool read_range(int fd, void *to, uint64_t bytes, uint64_t offset)
{
	char *at = to;

	while (bytes) {
		ssize_t got = pread(fd, at, bytes, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		offset += (uint64_t)got;
		bytes -= (uint64_t)got;
	}
	return true;
}

static bool read_section(int fd, struct recording *rec,
			 enum recording_section which)
{
	const struct section *section = &rec->section[which];

	return read_range(fd, section_records(rec, which),
			  (uint64_t)section->record_bytes * section->capacity,
			  section->offset);
}

/*
 * A record is written before what refers to it, so it has to be read after:
 * samples, events and waiters, then stacks, then modules. A stall that leaves
 * the ring has been entered among the longest before.
 */
static bool read_sections(int fd, struct recording *rec)
{
	static const enum recording_section order[] = {
		SECTION_SAMPLES, SECTION_EVENTS,      SECTION_LONGEST,
		SECTION_WAITERS, SECTION_STACK_INDEX, SECTION_STACKS,
		SECTION_LOCKS,	 SECTION_THREADS,     SECTION_HISTOGRAMS,
		SECTION_MODULES,
	};

	_Static_assert(ARRAY_SIZE(order) == SECTION_COUNT, "one is left out");
	for (int i = 0; i < SECTION_COUNT; i++) {
		if (!read_section(fd, rec, order[i]))
			return false;
	}
	return true;
}

static bool read_header(int fd, struct recording *header, char *fault,
			size_t size)
{
	struct stat st;

	if (fstat(fd, &st)) {
		snprintf(fault, size, "can't be read: %s", strerror(errno));
		return false;
	}
	if (!read_range(fd, header, sizeof(*header), 0)) {
		snprintf(fault, size, "is too short for a recording");
		return false;
	}
	return check_header(header, (uint64_t)st.st_size, fault, size);
}

/* Memory for a recording: zeroed, aligned as its header wants to be. */
static struct recording *allocate(const struct recording *header)
{
	size_t alignment = _Alignof(struct recording);
	size_t bytes = (header->size_bytes + alignment - 1) & -alignment;
	struct recording *rec = aligned_alloc(alignment, bytes);

	if (!rec)
		return NULL;
	memset(rec, 0, bytes);
	*rec = *header;
	return rec;
}

bool reading_open(struct reading *reading, int fd, char *fault, size_t size)
{
	struct recording header;
	struct recording *rec;

	if (!read_header(fd, &header, fault, size))
		return false;
	rec = allocate(&header);
	if (!rec) {
		snprintf(fault, size, "is too large to be read");
		return false;
	}
	if (!read_sections(fd, rec)) {
		snprintf(fault, size, "was cut while it was read");
		free(rec);
		return false;
	}
	reading->recording = rec;
	reading->damaged = check_records(rec);
	return true;
}

void reading_close(struct reading *reading)
{
	free(reading->recording);
	reading->recording = NULL;
}
