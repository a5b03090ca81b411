/*
 * An object's unwind table: .eh_frame_hdr.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/unwind_table.h"

#include <link.h>

#include "sigsafe/elf_image.h"

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
	struct unwind_entry entry[];
};

#define TABLE_VERSION  1
#define ENCODED_PCREL4 0x1b
#define ENCODED_UINT4  0x03
#define ENCODED_TABLE4 0x3b

static bool is_known(const struct unwind_table *table, uintptr_t end)
{
	uintptr_t room = end - (uintptr_t)table;

	return room >= sizeof(*table) && table->version == TABLE_VERSION &&
	       table->frame_encoding == ENCODED_PCREL4 &&
	       table->count_encoding == ENCODED_UINT4 &&
	       table->entry_encoding == ENCODED_TABLE4 &&
	       table->count <= (room - sizeof(*table)) / sizeof(*table->entry);
}

const struct unwind_table *unwind_table_of(const struct object *object,
					   struct memory *memory)
{
	const struct unwind_table *table = object->unwind_table;
	struct elf_image image =
		elf_image_at((const void *)object->start, object->bias);
	const Elf64_Phdr *segment =
		elf_image_segment(&image, (uintptr_t)table, PF_R);
	uintptr_t start, end;

	if (!table || !segment)
		return NULL;
	start = object->bias + segment->p_vaddr;
	end = start + segment->p_filesz;
	if (!is_known(table, end))
		return NULL;
	memory_trust(memory, start, end);
	return table;
}

const struct unwind_entry *unwind_table_find(const struct unwind_table *table,
					     uintptr_t pc)
{
	intptr_t offset = (intptr_t)(pc - (uintptr_t)table);
	uint32_t low = 0, high = table->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (table->entry[middle].code <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &table->entry[low - 1] : NULL;
}
