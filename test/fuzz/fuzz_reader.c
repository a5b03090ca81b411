/*
 * Fuzzing of what reads recordings and texts: any bytes are loaded, decoded,
 * named and reported as the command does it, for libFuzzer. Seeds are packed
 * recordings (pack_recording.c) and texts; scripts/fuzz runs it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "report/load.h"
#include "report/write.h"

/* What libFuzzer calls, and what it offers. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
			       unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

static void report_on(struct process *process)
{
	struct symbols *symbols = symbols_open();
	struct report report = {
		.out = fopen("/dev/null", "w"),
		.process = process,
		.symbols = symbols,
		.top = 10,
	};

	if (!report.out)
		abort();
	symbols_name_all(symbols, process);
	write_report(&report);
	fclose(report.out);
	symbols_close(symbols);
}

/* A file without a name that holds data: its descriptor. */
static int file_of(const uint8_t *data, size_t size)
{
	int fd = memfd_create("input", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct processes processes = { .count = 0 };
	int fd = file_of(data, size);
	char fault[256] = "";
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (processes_load(&processes, path, fault, sizeof(fault)))
		report_on(processes.list[0]);
	else if (!fault[0])
		abort(); /* refused without a word */
	processes_free(&processes);
	close(fd);
	return 0;
}

/* Marsaglia's xorshift. */
static uint64_t random_of(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* A word that is likely to be near some limit. */
static uint64_t telling_word(const uint8_t *data, size_t size, uint64_t *state)
{
	uint64_t word;

	switch (random_of(state) % 6) {
	case 0:
		return 0;
	case 1:
		return random_of(state) % 256;
	case 2:
		return ~(random_of(state) % 256);
	case 3:
		return UINT64_C(1) << random_of(state) % 64;
	}
	/* One that stands elsewhere, or is next to it. */
	memcpy(&word, data + random_of(state) % (size / 8) * 8, sizeof(word));
	return word + random_of(state) % 3 - 1;
}

/*
 * Where a word of the header or of a record begins; 0 where the header tells
 * nothing.
 */
static size_t place_of_word(const uint8_t *data, size_t size, uint64_t *state)
{
	struct recording header;
	const struct section *section;
	uint64_t at;

	memcpy(&header, data, sizeof(header));
	if (random_of(state) % 4 == 0)
		return random_of(state) % (sizeof(header) / 4) * 4;
	section = &header.section[random_of(state) % SECTION_COUNT];
	if (!section->capacity || !section->record_bytes)
		return 0;
	at = random_of(state) % section->capacity * section->record_bytes +
	     random_of(state) % section->record_bytes / 4 * 4;
	if (section->offset > size || at > size - section->offset)
		return 0;
	return section->offset + at;
}

/*
 * Half of the changes are libFuzzer's own. The others are to whole words of
 * records, which it seldom hits.
 */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
			       unsigned seed)
{
	uint64_t state = seed + UINT64_C(88172645463325252);
	uint64_t word;
	size_t bytes, at;

	if (size < sizeof(struct recording) || random_of(&state) % 2)
		return LLVMFuzzerMutate(data, size, most);
	at = place_of_word(data, size, &state);
	bytes = random_of(&state) % 2 ? 4 : 8;
	if (!at || at > size - bytes)
		return LLVMFuzzerMutate(data, size, most);
	word = telling_word(data, size, &state);
	memcpy(data + at, &word, bytes);
	return size;
}
