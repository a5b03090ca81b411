/*
 * An object: the file of a module, its symbols and its DWARF, through libdwfl.
 * Addresses are in the file's own terms. Not signal-safe: allocates.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_OBJECT_H
#define REPORT_OBJECT_H

#include "report/process.h"
#include "report/units.h"

enum object_state {
	OBJECT_GOOD,
	OBJECT_MISSING, /* no file, or one that is no ELF file */
	OBJECT_OTHER,	/* the build-id of the file is another */
	OBJECT_CHANGED	/* none, and the file changed after the program began */
};

struct object {
	enum object_state state;
	const char *path;
	const char *name;  /* the module's */
	struct Dwfl *dwfl; /* NULL: not GOOD */
	struct Dwfl_Module *module;
	struct units *units; /* NULL: no DWARF */
	uint64_t dwarf_bias;
	/* What was asked of it. */
	uint64_t addresses;
	uint64_t named;
	uint64_t with_lines;
};

/*
 * Opens the file of module, or where that has changed, what a debug package
 * has under its build-id. Pairs with object_close().
 */
struct object *object_open(struct arena *arena, const struct module *module);
void object_close(struct object *object);

/* The bias of a mapping of file offset text_offset to text_start. */
uint64_t object_bias(const struct object *object, uint64_t text_start,
		     uint64_t text_offset);

/* Symbols: their names, and how far into them the address is. NULL: none. */
const char *object_function(const struct object *object, uint64_t address,
			    uint64_t *offset);
const char *object_variable(const struct object *object, uint64_t address,
			    uint64_t *offset);

/* The calls at an address, innermost first: 0 where DWARF does not tell. */
unsigned object_calls(const struct object *object, uint64_t address,
		      struct source_call calls[MAX_INLINED]);

#endif
