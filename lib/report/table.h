/*
 * A table of words, in columns as wide as what is in them, up to a limit: what
 * is longer loses its middle, but in the last column, which is as long as it
 * is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include <stdio.h>

#include "base/units.h"

#define MAX_COLUMNS 10
#define MAX_CELL    60 /* letters */

struct column {
	const char *title;
	bool is_number; /* to the right */
};

struct table {
	const struct column *columns;
	size_t columns_count;
	const char *(*rows)[MAX_COLUMNS];
	size_t rows_count;
};

/* Prints the table, two spaces in front of each column. */
void table_print(const struct table *table, FILE *out);

#endif
