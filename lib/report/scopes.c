/*
 * The scopes of a unit. Owns what one walk of its tree has found.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/scopes.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* What may hold functions, and functions: in the order of the tree. */
struct node {
	Dwarf_Off offset; /* ascending: the tree lies in this order */
	Dwarf_Die die;
	struct node *parent; /* NULL: the unit */
	struct node *next;
};

/* Code of a node, outer scopes before inner ones. */
struct code {
	uint64_t low;
	uint64_t high; /* first address behind it */
	struct node *node;
	struct code *next;
};

struct scopes {
	struct arena *arena;
	struct node *nodes;
	struct node **last_node;
	struct node **by_offset; /* the nodes as an array */
	size_t count;
	struct code *code;
	struct code **last_code;
};

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

static struct node *add_node(struct scopes *scopes, Dwarf_Die *die,
			     struct node *parent)
{
	struct node *node = arena_alloc(scopes->arena, 1, sizeof(*node));

	*node = (struct node){
		.offset = dwarf_dieoffset(die),
		.die = *die,
		.parent = parent,
	};
	*scopes->last_node = node;
	scopes->last_node = &node->next;
	scopes->count++;
	return node;
}

static void add_code(struct scopes *scopes, struct node *node)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(&node->die, at, &base, &low, &high)) > 0) {
		struct code *code =
			arena_alloc(scopes->arena, 1, sizeof(*code));

		*code = (struct code){ .low = low, .high = high, .node = node };
		*scopes->last_code = code;
		scopes->last_code = &code->next;
	}
}

/* Deeper trees are no honest compiler's. */
#define MAX_TREE_DEPTH 256

static void walk(struct scopes *scopes, Dwarf_Die *die, struct node *parent,
		 unsigned depth)
{
	Dwarf_Die child;

	if (depth == MAX_TREE_DEPTH || dwarf_child(die, &child))
		return;
	do {
		int tag = dwarf_tag(&child);
		struct node *node;

		if (!is_container(tag))
			continue;
		node = add_node(scopes, &child, parent);
		if (is_call(tag))
			add_code(scopes, node);
		walk(scopes, &child, node, depth + 1);
	} while (!dwarf_siblingof(&child, &child));
}

struct scopes *scopes_of(struct arena *arena, Dwarf_Die *die)
{
	struct scopes *scopes = arena_alloc(arena, 1, sizeof(*scopes));
	size_t i = 0;

	scopes->arena = arena;
	scopes->last_node = &scopes->nodes;
	scopes->last_code = &scopes->code;
	walk(scopes, die, NULL, 0);
	scopes->by_offset =
		arena_alloc(arena, scopes->count, sizeof(*scopes->by_offset));
	for (struct node *node = scopes->nodes; node; node = node->next)
		scopes->by_offset[i++] = node;
	return scopes;
}

static bool is_in(const struct node *node, const struct node *outer)
{
	while (outer && node && node != outer)
		node = node->parent;
	return node;
}

/*
 * What lies beside what was found is the same code by another name: assemblers
 * tell of a function for each of its labels.
 */
unsigned scopes_at(struct scopes *scopes, uint64_t address, Dwarf_Die **found,
		   unsigned most)
{
	const struct node *last = NULL;
	unsigned count = 0;

	for (struct code *code = scopes->code; code; code = code->next) {
		if (address < code->low || address >= code->high ||
		    count == most || !is_in(code->node, last))
			continue;
		last = code->node;
		found[count++] = &code->node->die;
	}
	for (unsigned i = 0; i < count / 2; i++) {
		Dwarf_Die *swapped = found[i];

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

static int by_offset(const void *key, const void *element)
{
	Dwarf_Off offset = *(const Dwarf_Off *)key;
	const struct node *node = *(struct node *const *)element;

	return (offset > node->offset) - (offset < node->offset);
}

/* The node of a die, or NULL where it is another unit's. */
static struct node *node_of(struct scopes *scopes, Dwarf_Die *die)
{
	Dwarf_Off offset = dwarf_dieoffset(die);
	struct node **found =
		scopes->count
			? bsearch(&offset, scopes->by_offset, scopes->count,
				  sizeof(*scopes->by_offset), by_offset)
			: NULL;

	return found ? *found : NULL;
}

/* Where it was declared: an inlined or repeated function says so. */
static Dwarf_Die declaration_of(Dwarf_Die *die)
{
	static const unsigned links[] = { DW_AT_abstract_origin,
					  DW_AT_specification };
	Dwarf_Die found = *die;

	for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
		Dwarf_Attribute attribute;

		if (dwarf_attr(&found, links[i], &attribute))
			dwarf_formref_die(&attribute, &found);
	}
	return found;
}

/* What something is called that names others, or NULL: nothing to say. */
static const char *outer_name(Dwarf_Die *die, const char *inner)
{
	const char *name = dwarf_diename(die);

	if (name)
		return name;
	switch (dwarf_tag(die)) {
	case DW_TAG_namespace:
		return "(anonymous namespace)";
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
		return strncmp(inner, "operator()", 10) ? "{unnamed}"
							: "{lambda}";
	default:
		return NULL;
	}
}

/* Puts the names of what the declaration is in, :: between, in front. */
static const char *qualify(struct scopes *scopes, Dwarf_Die *die,
			   const char *name)
{
	Dwarf_Die declaration = declaration_of(die);
	struct node *node = node_of(scopes, &declaration);

	for (node = node ? node->parent : NULL; node; node = node->parent) {
		const char *outer = outer_name(&node->die, name);

		if (outer)
			name = arena_print(scopes->arena, "%s::%s", outer,
					   name);
	}
	return name;
}

const char *scope_symbol(struct scopes *scopes, Dwarf_Die *die)
{
	const char *symbol = string_of(die, DW_AT_linkage_name);
	const char *name = dwarf_diename(die);

	if (!symbol)
		symbol = string_of(die, DW_AT_MIPS_linkage_name);
	if (symbol)
		return symbol;
	return name ? qualify(scopes, die, name) : NULL;
}

bool scope_is_helper(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Word how;

	return dwarf_tag(die) == DW_TAG_inlined_subroutine &&
	       !dwarf_formudata(
		       dwarf_attr_integrate(die, DW_AT_inline, &attribute),
		       &how) &&
	       how == DW_INL_declared_inlined;
}
