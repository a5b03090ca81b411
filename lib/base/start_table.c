/*
 * Where functions start.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/start_table.h"

/* DW_EH_PE_udata4, and DW_EH_PE_datarel with _sdata4: all that linkers write.
 */
#define COUNT_OF_4    0x03
#define RELATIVE_TO_4 0x3b

struct start_entry {
	int32_t start; /* from the section's own address on */
	int32_t rules;
};

struct header {
	uint8_t version; /* 1 */
	uint8_t rules_encoding, count_encoding, table_encoding;
	int32_t rules;
	uint32_t count;
	struct start_entry entry[];
};

static bool is_sound(const struct header *header, size_t bytes)
{
	return header && bytes >= sizeof(*header) && header->version == 1 &&
	       header->count_encoding == COUNT_OF_4 &&
	       header->table_encoding == RELATIVE_TO_4 &&
	       header->count <=
		       (bytes - sizeof(*header)) / sizeof(header->entry[0]);
}

struct start_table start_table_of(const void *data, size_t bytes,
				  uint64_t address)
{
	const struct header *header = data;

	if (!is_sound(header, bytes))
		return (struct start_table){ .count = 0 };
	return (struct start_table){ .entry = header->entry,
				     .count = header->count,
				     .address = address };
}

uint32_t start_table_count(const struct start_table *table, uint64_t address)
{
	int64_t offset = (int64_t)(address - table->address);
	uint32_t before = 0;

	for (uint32_t left = table->count; left;) {
		uint32_t half = left / 2;

		if (table->entry[before + half].start > offset) {
			left = half;
			continue;
		}
		before += half + 1;
		left -= half + 1;
	}
	return before;
}

uint64_t start_table_at(const struct start_table *table, uint32_t i)
{
	return table->address + (uint64_t)(int64_t)table->entry[i].start;
}
