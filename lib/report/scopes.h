/*
 * The scopes of a unit: its functions and the calls inlined in them, where
 * their code is, and how they are called. Not signal-safe: allocates.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_SCOPES_H
#define REPORT_SCOPES_H

#include <elfutils/libdw.h>

#include "report/arena.h"

struct scopes;

/* Walks the tree of die, a unit's, once. */
struct scopes *scopes_of(struct arena *arena, Dwarf_Die *die);

/* The scopes around an address, innermost first, the outermost at most. */
unsigned scopes_at(struct scopes *scopes, uint64_t address, Dwarf_Die **found,
		   unsigned most);

/* Its linkage name, else its name with those of what it is in; or NULL. */
const char *scope_symbol(struct scopes *scopes, Dwarf_Die *die);

/* Was the call inlined as its author wished, who declared it inline? */
bool scope_is_helper(Dwarf_Die *die);

#endif
