/*
 * The symbols of one ELF file, sorted by address.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_SYMBOL_TABLE_H
#define SETUP_SYMBOL_TABLE_H

#include "setup/elf_file.h"
#include "setup/own_memory.h"

struct symbol {
	uint64_t start; /* [start, end) in the file's own addresses */
	uint64_t end;
	uint64_t reach; /* the largest end up to this symbol */
	uint32_t name;	/* in the table's strings */
	uint32_t rank;	/* among names of one address: the lowest is shown */
};

/* All zero: empty. */
struct symbol_table {
	struct symbol *symbol; /* by start, one for each */
	size_t symbols;
	char *strings;
};

enum symbol_kind {
	SYMBOL_FUNCTION,
	SYMBOL_VARIABLE
};

/*
 * Reads the symbols of a kind from the first section of a type (SHT_SYMTAB or
 * SHT_DYNSYM), into memory, which the table then goes with. The file may be
 * closed afterwards. False: there are none.
 */
bool symbol_table_read(struct symbol_table *table, struct own_memory *memory,
		       const struct elf_file *file, uint32_t section_type,
		       enum symbol_kind kind);

/*
 * The symbol that address lies in, or NULL. A symbol without a size reaches to
 * the next one, or to the next function by the unwind tables; behind a symbol's
 * end is nothing.
 */
const struct symbol *symbol_table_find(const struct symbol_table *table,
				       uint64_t address);

static inline const char *symbol_name(const struct symbol_table *table,
				      const struct symbol *symbol)
{
	return table->strings + symbol->name;
}

#endif
