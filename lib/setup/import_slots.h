/*
 * A loaded library's import slots: the words through which it calls functions
 * of other libraries, and its own. Re-pointing them changes what this library
 * calls and nobody else. Not signal-safe: the library must not be in use.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_IMPORT_SLOTS_H
#define SETUP_IMPORT_SLOTS_H

#include <link.h>

#include "base/units.h"

struct import_slot {
	const char *name; /* of the symbol */
	void **at;
	void *own; /* the library's own definition of it, or NULL */
};

/* Goes on to the next slot as long as it returns 0. */
typedef int import_slot_visit(const struct import_slot *slot);

/*
 * Visits every slot of library. What the last visit returned; -ENOTSUP: it has
 * imports of a kind that we don't know.
 */
int import_slots_visit(const struct link_map *library,
		       import_slot_visit *visit);

/* The same, with the slots writable meanwhile; or -errno, and no visit. */
int import_slots_rewrite(const struct link_map *library,
			 import_slot_visit *visit);

#endif
