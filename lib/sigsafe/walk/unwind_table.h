/*
 * An object's unwind table: where in it the rules for a program counter are.
 * Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WALK_UNWIND_TABLE_H
#define SIGSAFE_WALK_UNWIND_TABLE_H

#include "sigsafe/os/memory.h"
#include "sigsafe/walk/object.h"

/* Both: from the start of the table. */
struct unwind_entry {
	int32_t code;
	int32_t rule;
};

/*
 * The last entry that begins at or below pc, and the address it lies at; or 0:
 * there is none, or it can't be read, or the table is of a kind we don't know.
 */
uintptr_t unwind_table_find(struct memory *memory, const struct object *object,
			    uintptr_t pc, struct unwind_entry *entry);

#endif
