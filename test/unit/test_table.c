/*
 * Tables: columns of words.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "report/table.h"

static const struct column columns[] = {
	{ "loop", false },
	{ "turns", true },
	{ "in", false },
};

/* What the rows look like below the titles. */
static char *printed(const char *(*rows)[MAX_COLUMNS], size_t count)
{
	const struct table table = { columns, ARRAY_SIZE(columns), rows,
				     count };
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	table_print(&table, out);
	fclose(out);
	return text;
}

Test(table, columns_are_as_wide_as_what_is_in_them)
{
	const char *rows[][MAX_COLUMNS] = {
		{ "io", "12345678", "parse" },
		{ "worker1", "1", "crunch_it" },
	};
	char *text = printed(rows, ARRAY_SIZE(rows));

	cr_assert_str_eq(text, "  loop        turns  in\n"
			       "  io       12345678  parse\n"
			       "  worker1         1  crunch_it\n");
	free(text);
}

Test(table, letters_are_counted_not_their_bytes)
{
	const char *rows[][MAX_COLUMNS] = {
		{ "\303\244\303\266\303\274\303\237", "1", "a" },
		{ "b", "2", "c" },
	};
	char *text = printed(rows, ARRAY_SIZE(rows));

	cr_assert_str_eq(text, "  loop  turns  in\n"
			       "  \303\244\303\266\303\274\303\237      1  a\n"
			       "  b         2  c\n");
	free(text);
}

/* 66 letters: of the first column the middle is left out, not of the last. */
#define LONG                                                                   \
	"<core::future::from_generator::GenFuture<> as Fut\303\244re>::poll "
#define PLACE "(m.rs:9)"

Test(table, a_long_word_breaks_no_row)
{
	const char *rows[][MAX_COLUMNS] = {
		{ LONG PLACE, "1", LONG PLACE },
		{ "io", "2", "a" },
	};
	char *text = printed(rows, ARRAY_SIZE(rows));

	cr_assert_str_eq(
		text,
		"  loop                                                        "
		"  turns  in\n"
		"  <core::future::from_ge...nFuture<> as Fut\303\244re>::poll "
		"(m.rs:9)      1  " LONG PLACE "\n"
		"  io                                                          "
		"      2  a\n");
	free(text);
}
