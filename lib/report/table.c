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

/* The beginning and the end of a word that is too long. */
static const char *cut(const char *cell, char room[MAX_CELL + 1])
{
	size_t length = strlen(cell);
	int half = (MAX_CELL - 3) / 2;

	if (length <= MAX_CELL)
		return cell;
	snprintf(room, MAX_CELL + 1, "%.*s...%s", half, cell,
		 cell + length - (size_t)(MAX_CELL - 3 - half));
	return room;
}

static void print_cell(const struct column *column, const char *cell,
		       size_t width, bool is_last, FILE *out)
{
	char room[MAX_CELL + 1];

	if (is_last && !column->is_number)
		fprintf(out, "  %s", cell);
	else if (column->is_number)
		fprintf(out, "  %*s", (int)width, cut(cell, room));
	else
		fprintf(out, "  %-*s", (int)width, cut(cell, room));
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
