/*
 * Where functions start: by the search table in .eh_frame_hdr, which has their
 * starts in order (LSB Core 5.0, "10.6.2. The .eh_frame_hdr section"). libdw
 * tells only of the part of a function that has one rule, from one push or
 * early return to the next.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/function_start.h"

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

/* DW_EH_PE_udata4, and DW_EH_PE_datarel with _sdata4: all that linkers write.
 */
#define COUNT_OF_4    0x03
#define RELATIVE_TO_4 0x3b

struct entry {
	int32_t start; /* from the section's own address on */
	int32_t rules;
};

struct header {
	uint8_t version; /* 1 */
	uint8_t rules_encoding, count_encoding, table_encoding;
	int32_t rules;
	uint32_t count;
	struct entry entry[];
};

struct table {
	const struct header *header;
	uint64_t address;
};

static bool is_sound(const Elf_Data *data)
{
	const struct header *header = data ? data->d_buf : NULL;

	return header && data->d_size >= sizeof(*header) &&
	       header->version == 1 && header->count_encoding == COUNT_OF_4 &&
	       header->table_encoding == RELATIVE_TO_4 &&
	       header->count <= (data->d_size - sizeof(*header)) /
					sizeof(header->entry[0]);
}

/* header NULL: there is none, or it is of another kind. */
static struct table table_of(Elf *elf)
{
	struct table table = { .header = NULL };
	Elf_Scn *section = NULL;
	GElf_Shdr shape;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names))
		return table;
	while ((section = elf_nextscn(elf, section))) {
		const char *name =
			gelf_getshdr(section, &shape)
				? elf_strptr(elf, names, shape.sh_name)
				: NULL;
		Elf_Data *data;

		if (!name || strcmp(name, ".eh_frame_hdr"))
			continue;
		data = elf_rawdata(section, NULL);
		if (is_sound(data))
			table = (struct table){ data->d_buf, shape.sh_addr };
		break;
	}
	return table;
}

/* The last start that is not behind address; address: there is none. */
static uint64_t last_start(const struct table *table, uint64_t address)
{
	const struct header *header = table->header;
	int64_t offset = (int64_t)(address - table->address);
	uint32_t low = 0, high = header->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (header->entry[middle].start <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? table->address + (uint64_t)header->entry[low - 1].start
		   : address;
}

/* Is it in a function that the tables tell of, and not between two? */
static bool has_rules(const struct object *object, uint64_t address)
{
	Dwarf_Addr bias;
	Dwarf_CFI *cfi = dwfl_module_eh_cfi(object->module, &bias);
	Dwarf_Frame *frame;

	if (!cfi || dwarf_cfi_addrframe(cfi, address - bias, &frame))
		return false;
	free(frame);
	return true;
}

static bool find(const struct object *object, uint64_t address, uint64_t *start)
{
	GElf_Addr bias;
	struct table table =
		table_of(dwfl_module_getelf(object->module, &bias));

	if (!table.header || !has_rules(object, address))
		return false;
	*start = last_start(&table, address - bias) + bias;
	return true;
}

uint64_t function_start(const struct object *object, uint64_t address)
{
	uint64_t start;

	return find(object, address, &start) ? start : address;
}

bool function_starts_behind(const struct object *object, uint64_t symbol,
			    uint64_t address)
{
	uint64_t start;

	return find(object, address, &start) && start > symbol;
}
