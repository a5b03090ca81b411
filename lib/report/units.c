/*
 * The units of an object's DWARF. Owns their ranges, and the scopes of those
 * that were asked for.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/units.h"

#include <dwarf.h>
#include <stdlib.h>

#include "report/scopes.h"

struct unit {
	Dwarf_Die die;
	struct scopes *scopes; /* NULL: not asked for yet */
};

struct range {
	uint64_t low;
	uint64_t high; /* first address behind it */
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
	Dwarf_Die *scopes[MAX_INLINED];
	unsigned count;

	if (!unit)
		return 0;
	if (!unit->scopes)
		unit->scopes = scopes_of(units->arena, &unit->die);
	count = scopes_at(unit->scopes, address, scopes, MAX_INLINED);
	for (unsigned i = 0; i < count; i++) {
		calls[i] = (struct source_call){
			.symbol = scope_symbol(unit->scopes, scopes[i]),
			.is_helper = scope_is_helper(scopes[i]),
		};
		if (i)
			read_call_site(unit, scopes[i - 1], &calls[i]);
	}
	if (!count)
		calls[count++] = (struct source_call){ .symbol = NULL };
	read_line(unit, address, &calls[0]);
	return count;
}
