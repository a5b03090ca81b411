/*
 * A table of words.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/table.h"

#include <string.h>

static size_t width_of(const char *cell)
{
	size_t length = strlen(cell);

	return length < MAX_CELL ? length : MAX_CELL;
}

static void measure(const struct table *table, size_t *widths)
{
	for (size_t c = 0; c < table->columns_count; c++) {
		widths[c] = width_of(table->columns[c].title);
		for (size_t r = 0; r < table->rows_count; r++)
			widths[c] =
				max_u64(widths[c], width_of(table->rows[r][c]));
	}
}

static void print_cell(const struct column *column, const char *cell,
		       size_t width, bool is_last, FILE *out)
{
	if (is_last && !column->is_number)
		fprintf(out, "  %s", cell);
	else if (column->is_number)
		fprintf(out, "  %*s", (int)width, cell);
	else
		fprintf(out, "  %-*s", (int)width, cell);
}

void table_print(const struct table *table, FILE *out)
{
	size_t widths[MAX_COLUMNS];
	size_t last = table->columns_count - 1;

	measure(table, widths);
	for (size_t c = 0; c <= last; c++)
		print_cell(&table->columns[c], table->columns[c].title,
			   widths[c], c == last, out);
	fputc('\n', out);
	for (size_t r = 0; r < table->rows_count; r++) {
		for (size_t c = 0; c <= last; c++)
			print_cell(&table->columns[c], table->rows[r][c],
				   widths[c], c == last, out);
		fputc('\n', out);
	}
}
