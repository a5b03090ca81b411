/*
 * An object's unwind table: where in it the rules for a program counter are.
 * Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_UNWIND_TABLE_H
#define SIGSAFE_UNWIND_TABLE_H

#include "sigsafe/memory.h"
#include "sigsafe/object.h"

/* Both: from the start of the table. */
struct unwind_entry {
	int32_t code;
	int32_t rule;
};

struct unwind_table;

/*
 * The object's table, or NULL: it has none that we know. Its segment is trusted
 * from here on: it is mapped whole, and the rules are in it too.
 */
const struct unwind_table *unwind_table_of(const struct object *object,
					   struct memory *memory);

/* The last entry that begins at or below pc, or NULL. */
const struct unwind_entry *unwind_table_find(const struct unwind_table *table,
					     uintptr_t pc);

#endif
