/*
 * A table of words.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/table.h"

#include <string.h>

#define LEFT_OUT "..."

/* Does a letter begin here? All but the first byte of one are 10xxxxxx. */
static bool is_letter(char byte)
{
	return ((unsigned char)byte & 0xc0) != 0x80;
}

static size_t letters_in(const char *cell)
{
	size_t count = 0;

	for (; *cell; cell++)
		count += is_letter(*cell);
	return count;
}

static const char *behind_letters(const char *cell, size_t count)
{
	for (; *cell; cell++)
		if (is_letter(*cell) && !count--)
			break;
	return cell;
}

static size_t width_of(const char *cell)
{
	return min_u64(letters_in(cell), MAX_CELL);
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

/* The end tells more than the beginning: a method, a file and its line. */
static void print_shortened(const char *cell, size_t letters, FILE *out)
{
	size_t kept = MAX_CELL - strlen(LEFT_OUT);
	size_t head = kept * 2 / 5;
	const char *behind_head = behind_letters(cell, head);

	fprintf(out, "  %.*s" LEFT_OUT "%s", (int)(behind_head - cell), cell,
		behind_letters(cell, letters - (kept - head)));
}

static void print_cell(const struct column *column, const char *cell,
		       size_t width, bool is_last, FILE *out)
{
	size_t letters = letters_in(cell);
	int space = (int)(width - min_u64(letters, width));

	if (is_last && !column->is_number)
		fprintf(out, "  %s", cell);
	else if (letters > width)
		print_shortened(cell, letters, out);
	else if (column->is_number)
		fprintf(out, "  %*s%s", space, "", cell);
	else
		fprintf(out, "  %s%*s", cell, space, "");
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
