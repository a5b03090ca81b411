/*
 * Where functions start, by the unwind tables, which stripped files have too.
 * Not signal-safe: allocates.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_FUNCTION_START_H
#define REPORT_FUNCTION_START_H

#include "report/object.h"

/*
 * Where the function at address of a good object starts; address itself where
 * the tables do not know it.
 */
uint64_t function_start(const struct object *object, uint64_t address);

/* Is the function at address one that starts behind a symbol in front of it? */
bool function_starts_behind(const struct object *object, uint64_t symbol,
			    uint64_t address);

#endif
