/*
 * Naming: from an address in an object to the calls there. Not signal-safe:
 * allocates.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_NAMING_H
#define REPORT_NAMING_H

#include "report/object.h"

struct named {
	struct call *calls; /* innermost first */
	uint32_t count;
	bool has_name; /* else the function is called object+0xoffset */
};

/*
 * The calls at an address of a good object: of the instruction itself, in the
 * object's own terms.
 */
struct named name_address(struct arena *arena, struct object *object,
			  uint64_t address);

/* object+0x1234, which addr2line -e object understands. */
const char *name_place(struct arena *arena, const char *object,
		       uint64_t offset);

#endif
