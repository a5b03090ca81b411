/*
 * liburing itself.
 *
 * SPDX-License-Identifier: MIT
 */
#include "uring_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#include "hook.h"

/* Weak: another libc has no such function, and we do nothing there. */
#pragma weak dlvsym

const struct uring_library *uring_library_now;

/* The latest that were found: who still reads an old one is done by then. */
#define KEPT 16u

static struct uring_library found[KEPT];
static uint32_t finds;

static const struct entry {
	size_t at;
	const char *name, *version;
} entries[] = {
#define X(result, name, parameters, version)                                   \
	{ offsetof(struct uring_library, name), #name, version },
	HOOKS_URING(X)
#undef X
};

/* In place of one that an older liburing lacks. */
static int lacks(void)
{
	return -ENOSYS;
}

static void set(struct uring_library *library, const struct entry *entry,
		void *function)
{
	if (!function)
		function = (void *)lacks;
	memcpy((char *)library + entry->at, &function, sizeof(function));
}

static const struct uring_library *publish(struct uring_library *library)
{
	store_release(&uring_library_now, library);
	return library;
}

void liburing_find(void)
{
	struct uring_library *library = &found[0];

	if (!dlvsym || !dlvsym(RTLD_NEXT, entries[0].name, entries[0].version))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
		set(library, &entries[i],
		    dlvsym(RTLD_NEXT, entries[i].name, entries[i].version));
	publish(library);
}

/* A loaded object's dynamic symbols, by their GNU hash. */
struct symbols {
	uintptr_t base;
	const Elf64_Sym *first;
	const char *names;
	const uint32_t *table; /* buckets, first hashed, bloom words, shift */
};

static struct symbols symbols_of(const struct dl_phdr_info *info)
{
	struct symbols symbols = { .base = info->dlpi_addr };
	const Elf64_Dyn *entry = NULL;

	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			entry = (const void *)(info->dlpi_addr +
					       info->dlpi_phdr[i].p_vaddr);
	for (; entry && entry->d_tag; entry++) {
		const void *at = (const void *)entry->d_un.d_ptr;

		if (entry->d_tag == DT_SYMTAB)
			symbols.first = at;
		else if (entry->d_tag == DT_STRTAB)
			symbols.names = at;
		else if (entry->d_tag == DT_GNU_HASH)
			symbols.table = at;
	}
	return symbols;
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

/* Each bucket has the first of a chain, whose last one has bit 0 set. */
static void *find_symbol(const struct symbols *symbols, const char *name)
{
	const uint32_t *table = symbols->table;
	const uint32_t *bucket = table + 4 + 2 * table[2];
	const uint32_t *chain = bucket + table[0] - table[1];
	uint32_t hash = hash_of(name), i = bucket[hash % table[0]];

	for (; i >= table[1]; i++) {
		const Elf64_Sym *symbol = &symbols->first[i];

		if ((chain[i] | 1) == (hash | 1) && symbol->st_shndx &&
		    !strcmp(symbols->names + symbol->st_name, name))
			return (void *)(symbols->base + symbol->st_value);
		if (chain[i] & 1)
			break;
	}
	return NULL;
}

/* Where this library begins. */
extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden")));

/*
 * Is it liburing, and not we? Its versions need not be compared: no name has
 * two. Addresses that the loader has not relocated are the vDSO's.
 */
static int look_at(struct dl_phdr_info *info, size_t size, void *result)
{
	struct uring_library *library = result;
	struct symbols symbols = symbols_of(info);
	void *first;

	(void)size;
	if (!symbols.first || !symbols.names || !symbols.table ||
	    (uintptr_t)symbols.table < symbols.base ||
	    symbols.base == (uintptr_t)&__ehdr_start)
		return 0;
	first = find_symbol(&symbols, entries[0].name);
	if (!first)
		return 0;
	if (!object_find((uintptr_t)first, &library->object))
		library->object.start = 0;
	for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
		set(library, &entries[i],
		    find_symbol(&symbols, entries[i].name));
	return 1;
}

cold const struct uring_library *uring_library_find(void)
{
	struct uring_library *library =
		&found[add_relaxed(&finds, 1) % (KEPT - 1) + 1];
	int before = errno;

	library->object.start = 0;
	if (dl_iterate_phdr(look_at, library) != 1)
		for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
			set(library, &entries[i], NULL);
	errno = before;
	return publish(library);
}

bool uring_library_has_gone(const struct uring_library *library)
{
	struct object now;

	return !object_find(library->object.start, &now) ||
	       now.start != library->object.start ||
	       now.end != library->object.end ||
	       now.unwind_table != library->object.unwind_table;
}
