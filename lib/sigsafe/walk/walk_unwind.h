/*
 * Walks a stack by its unwind tables, through libunwind's interface for foreign
 * address spaces, used on ourselves. libunwind then reads nothing by itself:
 * every word comes through our accessors, which read only what can be read,
 * look objects up without a lock, and end what would never end.
 *
 * (Its interface for the own process reads unwind tables and evaluates their
 * expressions unchecked, and keeps pages it once found readable for ever: a
 * function without a rule for its frame, or a stale page, kills the program.)
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WALK_WALK_UNWIND_H
#define SIGSAFE_WALK_WALK_UNWIND_H

#include <libunwind.h>

#include "sigsafe/os/machine.h"
#include "sigsafe/walk/walk.h"

/* libunwind, as far as it is used. */
struct unwind_library {
	unw_addr_space_t space; /* made with walk_unwind_accessors */
	int (*init)(unw_cursor_t *, unw_addr_space_t, void *);
	int (*step)(unw_cursor_t *);
	int (*get)(unw_cursor_t *, int, unw_word_t *);
	int (*search)(unw_addr_space_t, unw_word_t, unw_dyn_info_t *,
		      unw_proc_info_t *, int, void *);
};

extern unw_accessors_t walk_unwind_accessors;

/* Written by lib/setup before the first walk. */
extern struct unwind_library walk_unwind_library;

/*
 * Adds the frames from these registers on. Returns how the walk ended. Only as
 * the walker (sigsafe/walk/walker.h).
 */
enum walk_state walk_unwind(struct walk *walk, const struct registers *from);

/* The same, where the first of these frames has been added. */
enum walk_state walk_unwind_on(struct walk *walk, const struct registers *from);

#endif
