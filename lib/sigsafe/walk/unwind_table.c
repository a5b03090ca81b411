/*
 * An object's unwind table: .eh_frame_hdr.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walk/unwind_table.h"

#include <string.h>

/*
 * Version, three encodings, the address of .eh_frame, then count and entries
 * (Linux Standard Base, "DWARF Extensions"). Tables of any other encoding than
 * what every linker writes are left alone.
 */
struct unwind_table {
	uint8_t version;
	uint8_t frame_encoding;
	uint8_t count_encoding;
	uint8_t entry_encoding;
	int32_t frame;
	uint32_t count;
	/* Here the entries begin. */
};

#define TABLE_VERSION  1
#define ENCODED_PCREL4 0x1b
#define ENCODED_UINT4  0x03
#define ENCODED_TABLE4 0x3b

static bool is_known(const struct unwind_table *table, uintptr_t room)
{
	return room >= sizeof(*table) && table->version == TABLE_VERSION &&
	       table->frame_encoding == ENCODED_PCREL4 &&
	       table->count_encoding == ENCODED_UINT4 &&
	       table->entry_encoding == ENCODED_TABLE4 &&
	       table->count <=
		       (room - sizeof(*table)) / sizeof(struct unwind_entry);
}

static bool read_table(struct memory *memory, const struct object *object,
		       struct unwind_table *table)
{
	uintptr_t at = (uintptr_t)object->unwind_table;
	const uint8_t *view = memory_view(memory, at, sizeof(*table));

	if (!view)
		return false;
	memcpy(table, view, sizeof(*table));
	return is_known(table, object->end - at);
}

static uintptr_t entry_at(const struct object *object, uint32_t i)
{
	return (uintptr_t)object->unwind_table + sizeof(struct unwind_table) +
	       i * sizeof(struct unwind_entry);
}

static bool read_entry(struct memory *memory, uintptr_t at,
		       struct unwind_entry *entry)
{
	const uint8_t *view = memory_view(memory, at, sizeof(*entry));

	if (view)
		memcpy(entry, view, sizeof(*entry));
	return view;
}

uintptr_t unwind_table_find(struct memory *memory, const struct object *object,
			    uintptr_t pc, struct unwind_entry *entry)
{
	intptr_t offset = (intptr_t)(pc - (uintptr_t)object->unwind_table);
	struct unwind_table table;
	uint32_t low = 0, high;

	if (!object->unwind_table || !read_table(memory, object, &table))
		return 0;
	high = table.count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (!read_entry(memory, entry_at(object, middle), entry))
			return 0;
		if (entry->code <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || !read_entry(memory, entry_at(object, low - 1), entry))
		return 0;
	return entry_at(object, low - 1);
}
