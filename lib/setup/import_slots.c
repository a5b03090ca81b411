/*
 * A loaded library's import slots: found in its dynamic section.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/import_slots.h"

#include <errno.h>
#include <sys/mman.h>

#include "sigsafe/os/machine.h"
#include "sigsafe/os/memory.h"
#include "sigsafe/walk/elf_image.h"
#include "sigsafe/walk/object.h"

struct table {
	const Elf64_Rela *first;
	size_t bytes;
};

/* The library's dynamic section, as the loader has relocated it. */
struct dynamic {
	const Elf64_Sym *symbols;
	const char *strings;
	struct table table[2]; /* data, functions */
};

static struct dynamic dynamic_of(const struct link_map *library)
{
	struct dynamic found = { .symbols = NULL };

	for (const Elf64_Dyn *entry = library->l_ld; entry->d_tag; entry++) {
		const void *at = (const void *)entry->d_un.d_ptr;

		switch (entry->d_tag) {
		case DT_SYMTAB:
			found.symbols = at;
			break;
		case DT_STRTAB:
			found.strings = at;
			break;
		case DT_RELA:
			found.table[0].first = at;
			break;
		case DT_RELASZ:
			found.table[0].bytes = entry->d_un.d_val;
			break;
		case DT_JMPREL:
			found.table[1].first = at;
			break;
		case DT_PLTRELSZ:
			found.table[1].bytes = entry->d_un.d_val;
			break;
		}
	}
	return found;
}

static int visit_one(const struct link_map *library,
		     const struct dynamic *dynamic, const Elf64_Rela *import,
		     import_slot_visit *visit)
{
	const Elf64_Sym *symbol =
		&dynamic->symbols[ELF64_R_SYM(import->r_info)];
	struct import_slot slot = {
		.name = dynamic->strings + symbol->st_name,
		.at = (void **)(library->l_addr + import->r_offset),
	};

	if (IS_OTHER_RELOCATION(ELF64_R_TYPE(import->r_info)))
		return 0;
	if (!IS_IMPORT_RELOCATION(ELF64_R_TYPE(import->r_info)))
		return -ENOTSUP;
	if (symbol->st_shndx != SHN_UNDEF)
		slot.own = (void *)(library->l_addr + symbol->st_value);
	return visit(&slot);
}

int import_slots_visit(const struct link_map *library, import_slot_visit *visit)
{
	struct dynamic dynamic = dynamic_of(library);

	if (!dynamic.symbols || !dynamic.strings)
		return -ENOTSUP;
	for (size_t i = 0; i < ARRAY_SIZE(dynamic.table); i++) {
		const struct table *table = &dynamic.table[i];
		size_t count =
			table->first ? table->bytes / sizeof(Elf64_Rela) : 0;

		for (size_t j = 0; j < count; j++) {
			int result = visit_one(library, &dynamic,
					       &table->first[j], visit);

			if (result)
				return result;
		}
	}
	return 0;
}

int import_slots_rewrite(const struct link_map *library,
			 import_slot_visit *visit)
{
	const uintptr_t in_page = PAGE_BYTES - 1;
	struct elf_image image;
	struct memory memory;
	struct object object;
	Elf64_Phdr segment;
	uintptr_t start, end;
	int result;

	if (!object_find((uintptr_t)library->l_ld, &object))
		return -ENOENT;
	memory_begin(&memory, &object);
	image = elf_image_at(&memory, object.start, library->l_addr);
	if (!elf_image_segment(&image, PT_GNU_RELRO, &segment))
		/* Unread, it may have one: then the slots can't be written. */
		return memory.has_failed ? -EFAULT
					 : import_slots_visit(library, visit);
	/* Whole pages only, as the loader protected them. */
	start = (library->l_addr + segment.p_vaddr) & ~in_page;
	end = (library->l_addr + segment.p_vaddr + segment.p_memsz) & ~in_page;
	if (mprotect((void *)start, end - start, PROT_READ | PROT_WRITE))
		return -errno;
	result = import_slots_visit(library, visit);
	mprotect((void *)start, end - start, PROT_READ);
	return result;
}
