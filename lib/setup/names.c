/*
 * Names for addresses. Owns the symbol tables of the modules that were asked
 * for, each read at the first question.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/names.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "setup/debug_file.h"
#include "setup/elf_file.h"
#include "setup/libelf.h"
#include "setup/symbol_table.h"

#define KINDS 2 /* enum symbol_kind */
#define PAGE  UINT64_C(4096)

struct module_symbols {
	bool is_read; /* tried: the tables may be empty */
	struct symbol_table table[KINDS];
};

/* Written by names_open(), names_close() and the questions between them. */
static const struct libelf *lib;
static const struct recording *asked_of; /* whose modules these are */
static struct module_symbols *symbols;	 /* by index in SECTION_MODULES */

static bool read_tables(struct module_symbols *module,
			const struct elf_file *file, uint32_t section_type)
{
	bool any = false;

	for (int kind = 0; kind < KINDS; kind++)
		any |= symbol_table_read(&module->table[kind], file,
					 section_type, kind);
	return any;
}

/* The full table where there is one, else what the dynamic linker needs. */
static void read_file(struct module_symbols *module,
		      const struct module_record *record,
		      const struct elf_file *file)
{
	struct elf_file debug;
	bool any;

	if (read_tables(module, file, SHT_SYMTAB))
		return;
	if (debug_file_open(&debug, record, file)) {
		any = read_tables(module, &debug, SHT_SYMTAB);
		elf_file_close(&debug);
		if (any)
			return;
	}
	read_tables(module, file, SHT_DYNSYM);
}

/* The vDSO is in no file, but whole in this process, to its page's end. */
static bool view_vdso(struct elf_file *file, const struct module_record *record)
{
	uint64_t end = (record->map_end + PAGE - 1) & ~(PAGE - 1);

	return elf_file_view(file, lib, (void *)(uintptr_t)record->map_start,
			     end - record->map_start);
}

static bool open_module(struct elf_file *file,
			const struct module_record *record)
{
	if (record->map_start == getauxval(AT_SYSINFO_EHDR))
		return view_vdso(file, record);
	return record->path[0] == '/' && elf_file_open(file, lib, record->path);
}

static void read_module(struct module_symbols *module,
			const struct module_record *record)
{
	struct elf_file file;

	module->is_read = true;
	if (!open_module(&file, record))
		return;
	/* The file may have been replaced since it was mapped. */
	if (elf_file_is(&file, record->build_id, record->build_id_bytes))
		read_file(module, record, &file);
	elf_file_close(&file);
}

static void forget(void)
{
	uint32_t n = asked_of ? asked_of->section[SECTION_MODULES].capacity : 0;

	for (uint32_t i = 0; symbols && i < n; i++) {
		for (int kind = 0; kind < KINDS; kind++)
			symbol_table_free(&symbols[i].table[kind]);
	}
	free(symbols);
	symbols = NULL;
	asked_of = NULL;
}

static struct module_symbols *symbols_of(const struct recording *rec,
					 uint32_t index)
{
	const struct module_record *record =
		section_records(rec, SECTION_MODULES);

	if (rec != asked_of) {
		forget();
		asked_of = rec;
		symbols = calloc(rec->section[SECTION_MODULES].capacity,
				 sizeof(*symbols));
	}
	if (!symbols)
		return NULL;
	if (!symbols[index].is_read)
		read_module(&symbols[index], &record[index]);
	return &symbols[index];
}

static bool find(const struct recording *rec, uint32_t index, uint64_t address,
		 enum symbol_kind kind, struct text_name *answer)
{
	const struct module_symbols *module;
	const struct symbol_table *table;
	const struct symbol *symbol;

	if (!index || index >= rec->section[SECTION_MODULES].capacity)
		return false;
	module = symbols_of(rec, index);
	if (!module)
		return false;
	table = &module->table[kind];
	symbol = symbol_table_find(table, address);
	if (!symbol)
		return false;
	*answer = (struct text_name){ symbol_name(table, symbol),
				      address - symbol->start };
	return true;
}

/* A frame points behind its instruction: one less is in it. */
static bool name_function(void *ctx, const struct recording *rec,
			  uint64_t frame, struct text_name *answer)
{
	(void)ctx;
	return find(rec, FRAME_MODULE(frame), FRAME_OFFSET(frame) - 1,
		    SYMBOL_FUNCTION, answer);
}

static bool name_variable(void *ctx, const struct recording *rec,
			  uint64_t place, struct text_name *answer)
{
	(void)ctx;
	return find(rec, FRAME_MODULE(place), FRAME_OFFSET(place),
		    SYMBOL_VARIABLE, answer);
}

const struct text_names *names_open(void)
{
	static const struct text_names names = { name_function, name_variable,
						 NULL };

	lib = libelf_open();
	return lib ? &names : NULL;
}

void names_close(void)
{
	forget();
	libelf_close();
}
