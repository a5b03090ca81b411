/*
 * Rows against what readelf says: at both ends of every row of every function
 * of a loaded object. Without Criterion, so that it can be preloaded.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_ROWS_FIXTURE_H
#define UNIT_ROWS_FIXTURE_H

#include <stdint.h>

struct rows_compared {
	unsigned long rows;
	char difference[160]; /* the first one; "": there is none */
};

/* The object that is loaded from the file at path, with that bias. */
void rows_compare(uintptr_t bias, const char *path,
		  struct rows_compared *result);

#endif
