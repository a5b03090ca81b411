/*
 * Names for addresses. Owns the symbol tables of the modules that were asked
 * for, each read at the first question.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/names.h"

#include <sys/auxv.h>

#include "setup/debug_file.h"
#include "setup/elf_file.h"
#include "setup/libelf.h"
#include "setup/libelf_memory.h"
#include "setup/own_memory.h"
#include "setup/symbol_table.h"

#define KINDS 2 /* enum symbol_kind */
#define PAGE  UINT64_C(4096)

/* One kind of symbols of one module. */
struct symbols {
	bool is_read; /* tried: the table may be empty */
	struct symbol_table table;
};

/* Written by names_open(), names_close() and the questions between them. */
static const struct libelf *lib;
static const struct recording *asked_of; /* whose modules these are */
static struct symbols (*modules)[KINDS]; /* by index in SECTION_MODULES */
static struct own_memory memory;	 /* these, and their tables */

/* The full table where there is one, else what the dynamic linker needs. */
static void read_file(struct symbol_table *table, enum symbol_kind kind,
		      const struct module_record *record,
		      const struct elf_file *file)
{
	struct elf_file debug;
	bool done;

	if (symbol_table_read(table, &memory, file, SHT_SYMTAB, kind))
		return;
	if (debug_file_open(&debug, record, file)) {
		done = symbol_table_read(table, &memory, &debug, SHT_SYMTAB,
					 kind);
		elf_file_close(&debug);
		if (done)
			return;
	}
	symbol_table_read(table, &memory, file, SHT_DYNSYM, kind);
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

static void read_module(struct symbol_table *table, enum symbol_kind kind,
			const struct module_record *record)
{
	struct elf_file file;

	if (!open_module(&file, record))
		return;
	/* The file may have been replaced since it was mapped. */
	if (elf_file_is(&file, record->build_id, record->build_id_bytes) &&
	    (record->build_id_bytes ||
	     elf_file_is_still(&file, asked_of->start_realtime_ns,
			       record->identity)))
		read_file(table, kind, record, &file);
	elf_file_close(&file);
}

static void read_symbols(struct symbols *symbols, enum symbol_kind kind,
			 const struct module_record *record)
{
	symbols->is_read = true;
	libelf_memory_begin();
	read_module(&symbols->table, kind, record);
	libelf_memory_end();
}

static void forget(void)
{
	own_memory_release(&memory);
	modules = NULL;
	asked_of = NULL;
}

/* The table to ask, or NULL. */
static const struct symbol_table *
table_of(const struct recording *rec, uint32_t index, enum symbol_kind kind)
{
	const struct module_record *record =
		section_records(rec, SECTION_MODULES);
	uint32_t n = rec->section[SECTION_MODULES].capacity;

	if (!index || index >= n)
		return NULL;
	if (rec != asked_of) {
		forget();
		asked_of = rec;
		modules = own_memory_take(&memory, n, sizeof(*modules));
	}
	if (!modules)
		return NULL;
	if (!modules[index][kind].is_read)
		read_symbols(&modules[index][kind], kind, &record[index]);
	return &modules[index][kind].table;
}

static bool find(const struct recording *rec, uint32_t index, uint64_t address,
		 enum symbol_kind kind, struct text_name *answer)
{
	const struct symbol_table *table = table_of(rec, index, kind);
	const struct symbol *symbol =
		table ? symbol_table_find(table, address) : NULL;

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

	lib = libelf_functions();
	return lib ? &names : NULL;
}

void names_close(void)
{
	forget();
}
