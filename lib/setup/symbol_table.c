/*
 * The symbols of one ELF file: read, sorted, found by binary search.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/symbol_table.h"

#include <string.h>

#include "base/heap_sort.h"
#include "base/start_table.h"

/* Where the symbols come from. */
struct source {
	const struct elf_file *file;
	Elf_Data *symbols;
	size_t strings_bytes;
	enum symbol_kind kind;
};

static bool is_wanted(const struct source *source, const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS ||
	    !sym->st_name || sym->st_name >= source->strings_bytes)
		return false;
	if (source->kind == SYMBOL_FUNCTION)
		return type == STT_FUNC || type == STT_GNU_IFUNC;
	return type == STT_OBJECT || type == STT_COMMON;
}

/* Of read, __read and __libc_read people know the first. */
static uint32_t rank_of(const GElf_Sym *sym, const char *name)
{
	uint32_t underscores = (uint32_t)strspn(name, "_");
	uint32_t is_local = GELF_ST_BIND(sym->st_info) == STB_LOCAL;

	return (uint32_t)!sym->st_size << 16 | underscores << 1 | is_local;
}

static uint64_t end_of(const struct source *source, const GElf_Sym *sym)
{
	const struct libelf *lib = source->file->lib;
	GElf_Shdr header;

	if (sym->st_size)
		return sym->st_value + sym->st_size;
	/* Cut at the next symbol later. */
	if (!lib->gelf_getshdr(
		    lib->elf_getscn(source->file->elf, sym->st_shndx), &header))
		return sym->st_value + 1;
	return header.sh_addr + header.sh_size;
}

static bool is_before(const void *a, const void *b)
{
	const struct symbol *left = a;
	const struct symbol *right = b;

	if (left->start != right->start)
		return left->start < right->start;
	if (left->rank != right->rank)
		return left->rank < right->rank;
	return left->name < right->name;
}

/* Counts the wanted ones; enters them where there is a table. */
static size_t scan(const struct source *source, struct symbol_table *table)
{
	GElf_Sym sym;
	size_t n = 0;

	for (int i = 0;
	     source->file->lib->gelf_getsym(source->symbols, i, &sym); i++) {
		if (!is_wanted(source, &sym))
			continue;
		if (table->symbol)
			table->symbol[n] = (struct symbol){
				.start = sym.st_value,
				.end = end_of(source, &sym),
				.name = sym.st_name,
				.rank = rank_of(&sym,
						table->strings + sym.st_name),
			};
		n++;
	}
	return n;
}

static bool is_unsized(const struct symbol *symbol)
{
	return symbol->rank >> 16;
}

/*
 * Functions between a symbol without a size and the next one may have lost
 * theirs.
 */
static void cut_at_start(struct symbol *symbol,
			 const struct start_table *starts)
{
	uint32_t i = start_table_count(starts, symbol->start);

	if (is_unsized(symbol) && i < starts->count)
		symbol->end = min_u64(symbol->end, start_table_at(starts, i));
}

/* One name for each address, ends and reaches set. */
static void tidy(struct symbol_table *table, const struct start_table *starts)
{
	struct symbol *symbol = table->symbol;
	uint64_t reach = 0;
	size_t kept = 0;

	for (size_t i = 0; i < table->symbols; i++) {
		if (kept && symbol[i].start == symbol[kept - 1].start)
			continue;
		if (kept && is_unsized(&symbol[kept - 1]))
			symbol[kept - 1].end =
				min_u64(symbol[kept - 1].end, symbol[i].start);
		symbol[kept++] = symbol[i];
	}
	table->symbols = kept;
	for (size_t i = 0; i < kept; i++) {
		cut_at_start(&symbol[i], starts);
		reach = max_u64(reach, symbol[i].end);
		symbol[i].reach = reach;
	}
}

/* Versions, as in memcpy@@GLIBC_2.14, are no part of a name. */
static void cut_versions(char *strings, size_t bytes)
{
	char *at = strings;

	while ((at = memchr(at, '@', bytes - (size_t)(at - strings))))
		*at = '\0';
}

static bool copy_strings(struct symbol_table *table, struct own_memory *memory,
			 const Elf_Data *strings)
{
	/* Zeroed: so what is behind them ends the last. */
	table->strings = own_memory_take(memory, strings->d_size + 1, 1);
	if (!table->strings)
		return false;
	memcpy(table->strings, strings->d_buf, strings->d_size);
	cut_versions(table->strings, strings->d_size);
	return true;
}

static struct start_table starts_of(const struct elf_file *file)
{
	uint64_t address;
	const Elf_Data *data =
		elf_file_data_of(file, ".eh_frame_hdr", &address);

	return data ? start_table_of(data->d_buf, data->d_size, address)
		    : (struct start_table){ .count = 0 };
}

static bool has_unsized(const struct symbol_table *table)
{
	for (size_t i = 0; i < table->symbols; i++)
		if (is_unsized(&table->symbol[i]))
			return true;
	return false;
}

static bool fill(struct symbol_table *table, struct own_memory *memory,
		 const struct source *source, const Elf_Data *strings)
{
	struct start_table starts = { .count = 0 };

	table->symbols = scan(source, table);
	if (!table->symbols || !copy_strings(table, memory, strings))
		return false;
	table->symbol =
		own_memory_take(memory, table->symbols, sizeof(*table->symbol));
	if (!table->symbol)
		return false;
	scan(source, table);
	heap_sort(table->symbol, table->symbols, sizeof(*table->symbol),
		  is_before);
	if (has_unsized(table))
		starts = starts_of(source->file);
	tidy(table, &starts);
	return true;
}

bool symbol_table_read(struct symbol_table *table, struct own_memory *memory,
		       const struct elf_file *file, uint32_t section_type,
		       enum symbol_kind kind)
{
	const struct libelf *lib = file->lib;
	Elf_Scn *scn = elf_file_next(file, NULL, section_type);
	struct source source = { .file = file, .kind = kind };
	Elf_Data *strings;
	GElf_Shdr header;

	*table = (struct symbol_table){ 0 };
	if (!scn || !lib->gelf_getshdr(scn, &header))
		return false;
	source.symbols = lib->elf_getdata(scn, NULL);
	strings = lib->elf_getdata(lib->elf_getscn(file->elf, header.sh_link),
				   NULL);
	if (source.symbols && strings && strings->d_buf) {
		source.strings_bytes = strings->d_size;
		if (fill(table, memory, &source, strings))
			return true;
	}
	*table = (struct symbol_table){ 0 };
	return false;
}

/* The number of symbols that start at or before address. */
static size_t count_before(const struct symbol_table *table, uint64_t address)
{
	size_t low = 0, high = table->symbols;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->symbol[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct symbol *symbol_table_find(const struct symbol_table *table,
				       uint64_t address)
{
	size_t i = count_before(table, address);

	/* Back over those inside a larger one that may hold the address. */
	for (; i && table->symbol[i - 1].reach > address; i--) {
		if (address < table->symbol[i - 1].end)
			return &table->symbol[i - 1];
	}
	return NULL;
}
