/*
 * Where functions start: by the search table. libdw tells only of the part of a
 * function that has one rule, from one push or early return to the next.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/function_start.h"

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/start_table.h"

static struct start_table table_of(Elf *elf)
{
	struct start_table table = { .count = 0 };
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
		if (data)
			table = start_table_of(data->d_buf, data->d_size,
					       shape.sh_addr);
		break;
	}
	return table;
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
	struct start_table table =
		table_of(dwfl_module_getelf(object->module, &bias));
	uint32_t count = start_table_count(&table, address - bias);

	if (!count || !has_rules(object, address))
		return false;
	*start = start_table_at(&table, count - 1) + bias;
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
