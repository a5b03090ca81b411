/*
 * The units of an object's DWARF: which source made the code at an address,
 * and which calls were inlined there. Not signal-safe: allocates.
 *
 * The die tree of a unit is walked once, when its first address is asked for.
 * Units are found by their own ranges: not every compiler writes
 * .debug_aranges.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_UNITS_H
#define REPORT_UNITS_H

#include <elfutils/libdw.h>

#include "report/arena.h"

struct units;

/* One call at an address. Strings live as long as dwarf and the arena. */
struct source_call {
	const char *symbol; /* linkage name, or qualified name; NULL: unknown */
	const char *file;   /* NULL: unknown */
	unsigned line;
	bool is_helper; /* declared inline, and inlined */
};

#define MAX_INLINED 32

struct units *units_of(struct arena *arena, Dwarf *dwarf);

/*
 * The calls at an address in dwarf's own terms, innermost first. Returns their
 * number, 0 where no unit knows the address.
 */
unsigned units_calls(struct units *units, uint64_t address,
		     struct source_call calls[MAX_INLINED]);

#endif
