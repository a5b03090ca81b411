/*
 * The units of an object's DWARF. Owns their ranges, and the scopes of those
 * that were asked for.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/units.h"

#include <dwarf.h>
#include <stdlib.h>

/* A function, or a call that was inlined: where its code is. */
struct scope {
	uint64_t low;
	uint64_t high; /* first address behind it */
	Dwarf_Die die;
	struct scope *next; /* in the order of the tree: outer ones first */
};

struct unit {
	Dwarf_Die die;
	bool is_walked;
	struct scope *scopes;
	struct scope **last;
};

struct range {
	uint64_t low;
	uint64_t high;
	struct unit *unit;
};

struct units {
	struct arena *arena;
	struct range *ranges; /* ascending */
	size_t count;
	size_t room;
};

static void add_range(struct units *units, struct range range)
{
	if (units->count == units->room) {
		size_t room = units->room ? 2 * units->room : 256;
		struct range *more =
			arena_alloc(units->arena, room, sizeof(*more));

		for (size_t i = 0; i < units->count; i++)
			more[i] = units->ranges[i];
		units->ranges = more;
		units->room = room;
	}
	units->ranges[units->count++] = range;
}

static void add_unit(struct units *units, Dwarf_Die *die)
{
	struct unit *unit = arena_alloc(units->arena, 1, sizeof(*unit));
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	unit->die = *die;
	unit->last = &unit->scopes;
	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0)
		add_range(units, (struct range){ low, high, unit });
}

static int by_address(const void *a, const void *b)
{
	const struct range *left = a;
	const struct range *right = b;

	return (left->low > right->low) - (left->low < right->low);
}

struct units *units_of(struct arena *arena, Dwarf *dwarf)
{
	struct units *units = arena_alloc(arena, 1, sizeof(*units));
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	units->arena = arena;
	while (!dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &die, NULL)) {
		if (dwarf_tag(&die) == DW_TAG_compile_unit)
			add_unit(units, &die);
	}
	if (units->count)
		qsort(units->ranges, units->count, sizeof(struct range),
		      by_address);
	return units;
}

static int holds(const void *key, const void *element)
{
	uint64_t address = *(const uint64_t *)key;
	const struct range *range = element;

	if (address < range->low)
		return -1;
	return address >= range->high;
}

static struct unit *unit_at(struct units *units, uint64_t address)
{
	const struct range *range =
		units->count ? bsearch(&address, units->ranges, units->count,
				       sizeof(*range), holds)
			     : NULL;

	return range ? range->unit : NULL;
}

static void add_scope(struct units *units, struct unit *unit, Dwarf_Die *die)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		struct scope *scope =
			arena_alloc(units->arena, 1, sizeof(*scope));

		*scope =
			(struct scope){ .low = low, .high = high, .die = *die };
		*unit->last = scope;
		unit->last = &scope->next;
	}
}

static bool is_call(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/* May hold functions or inlined calls. */
static bool is_container(int tag)
{
	switch (tag) {
	case DW_TAG_lexical_block:
	case DW_TAG_namespace:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_module:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		return true;
	default:
		return is_call(tag);
	}
}

/* Deeper trees are no honest compiler's. */
#define MAX_TREE_DEPTH 256

static void walk(struct units *units, struct unit *unit, Dwarf_Die *parent,
		 unsigned depth)
{
	Dwarf_Die die;

	if (depth == MAX_TREE_DEPTH || dwarf_child(parent, &die))
		return;
	do {
		int tag = dwarf_tag(&die);

		if (is_call(tag))
			add_scope(units, unit, &die);
		if (is_container(tag))
			walk(units, unit, &die, depth + 1);
	} while (!dwarf_siblingof(&die, &die));
}

/* The scopes around an address, innermost first; returns their number. */
static unsigned scopes_at(struct units *units, struct unit *unit,
			  uint64_t address, struct scope *found[MAX_INLINED])
{
	unsigned count = 0;

	if (!unit->is_walked)
		walk(units, unit, &unit->die, 0);
	unit->is_walked = true;
	for (struct scope *s = unit->scopes; s; s = s->next) {
		if (address < s->low || address >= s->high)
			continue;
		/* Too many: the outermost are the ones to keep. */
		if (count < MAX_INLINED)
			found[count++] = s;
	}
	for (unsigned i = 0; i < count / 2; i++) {
		struct scope *swapped = found[i];

		found[i] = found[count - 1 - i];
		found[count - 1 - i] = swapped;
	}
	return count;
}

static const char *string_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

static const char *symbol_of(Dwarf_Die *die)
{
	const char *symbol = string_of(die, DW_AT_linkage_name);

	if (!symbol)
		symbol = string_of(die, DW_AT_MIPS_linkage_name);
	return symbol ? symbol : dwarf_diename(die);
}

static unsigned number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	if (dwarf_formudata(dwarf_attr(die, name, &attribute), &number))
		return 0;
	return (unsigned)number;
}

/* Where an inlined call was made. */
static void read_call_site(struct unit *unit, Dwarf_Die *die,
			   struct source_call *call)
{
	Dwarf_Files *files;
	size_t count;

	call->line = number_of(die, DW_AT_call_line);
	if (!dwarf_getsrcfiles(&unit->die, &files, &count))
		call->file = dwarf_filesrc(
			files, number_of(die, DW_AT_call_file), NULL, NULL);
}

static void read_line(struct unit *unit, uint64_t address,
		      struct source_call *call)
{
	Dwarf_Line *line = dwarf_getsrc_die(&unit->die, address);
	int number;

	if (!line)
		return;
	call->file = dwarf_linesrc(line, NULL, NULL);
	if (!dwarf_lineno(line, &number))
		call->line = (unsigned)number;
}

unsigned units_calls(struct units *units, uint64_t address,
		     struct source_call calls[MAX_INLINED])
{
	struct unit *unit = unit_at(units, address);
	struct scope *scopes[MAX_INLINED];
	unsigned count;

	if (!unit)
		return 0;
	count = scopes_at(units, unit, address, scopes);
	for (unsigned i = 0; i < count; i++) {
		calls[i] = (struct source_call){
			.symbol = symbol_of(&scopes[i]->die),
		};
		if (i)
			read_call_site(unit, &scopes[i - 1]->die, &calls[i]);
	}
	if (!count)
		calls[count++] = (struct source_call){ .symbol = NULL };
	read_line(unit, address, &calls[0]);
	return count;
}
