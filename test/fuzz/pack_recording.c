/*
 * Makes a seed for the fuzzer of a recording: the same without the empty end
 * of each section, so that most bytes mean something.
 *
 * usage: pack_recording RECORDING SEED [OBJECT]
 *
 * Objects are made to lie nowhere, for naming takes time: all but those whose
 * path ends in OBJECT. By their build-id they would be found as well.
 *
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/reader.h"

/* How many records there are up to the last that is not empty; at least 1. */
static uint32_t filled(const struct recording *rec, uint32_t which)
{
	const struct section *section = &rec->section[which];
	const char *records = section_records(rec, which);
	uint64_t bytes = (uint64_t)section->capacity * section->record_bytes;

	while (bytes && !records[bytes - 1])
		bytes--;
	bytes += section->record_bytes - 1;
	return (uint32_t)max_u64(1, bytes / section->record_bytes);
}

static struct recording *pack(const struct recording *rec)
{
	uint64_t line = _Alignof(struct recording);
	struct recording *packed = aligned_alloc(line, rec->size_bytes);

	if (!packed)
		abort();
	memset(packed, 0, rec->size_bytes);
	*packed = *rec;
	packed->size_bytes = sizeof(*rec);
	for (uint32_t i = 0; i < SECTION_COUNT; i++) {
		struct section *section = &packed->section[i];
		uint64_t bytes;

		section->capacity = filled(rec, i);
		section->offset = packed->size_bytes;
		bytes = (uint64_t)section->capacity * section->record_bytes;
		memcpy(section_records(packed, i), section_records(rec, i),
		       bytes);
		packed->size_bytes += (bytes + line - 1) / line * line;
	}
	return packed;
}

static bool ends_in(const char *path, const char *end)
{
	size_t length = strlen(path), end_length = strlen(end);

	return length >= end_length && !strcmp(path + length - end_length, end);
}

static void hide_objects(struct recording *rec, const char *but)
{
	struct module_record *module = section_records(rec, SECTION_MODULES);
	uint32_t n = rec->section[SECTION_MODULES].capacity;

	for (; n; n--, module++) {
		if (!module->path[0] || (but && ends_in(module->path, but)))
			continue;
		module->path[0] = '-';
		memset(module->build_id, 0, sizeof(module->build_id));
	}
}

static bool write_file(const char *path, const void *bytes, size_t length)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return false;
	length -= fwrite(bytes, 1, length, file);
	return !fclose(file) && !length;
}

int main(int argc, char **argv)
{
	struct reading reading;
	struct recording *packed;
	char fault[256];
	int fd = argc > 2 ? open(argv[1], O_RDONLY) : -1;

	if (fd < 0) {
		fprintf(stderr, "usage: %s RECORDING SEED [OBJECT]\n", argv[0]);
		return 2;
	}
	if (!reading_open(&reading, fd, fault, sizeof(fault))) {
		fprintf(stderr, "%s %s\n", argv[1], fault);
		return 1;
	}
	packed = pack(reading.recording);
	hide_objects(packed, argc > 3 ? argv[3] : NULL);
	if (!write_file(argv[2], packed, packed->size_bytes)) {
		perror(argv[2]);
		return 1;
	}
	free(packed);
	reading_close(&reading);
	close(fd);
	return 0;
}
