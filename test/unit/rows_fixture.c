/*
 * What readelf says, read and compared.
 *
 * SPDX-License-Identifier: MIT
 */
#include "rows_fixture.h"

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine_fixture.h"
#include "sigsafe/walk/cfa_rules.h"
#include "sigsafe/walk/eh_frame.h"

#define MAX_COMMONS 64
#define LINE_BYTES  512

/* By row_register. */
static const char *const register_name[ROW_REGISTERS] = { ROW_NAMES };

/* The columns that a table has, and their number. */
struct columns {
	char name[40][8];
	int count;
};

/* What readelf's line says; `known` if it can be told from the line. */
struct expected {
	unwind_row row;
	bool known;
};

/* The row of a CIE, which functions without rows of their own have. */
struct common {
	unsigned long offset;
	struct expected row; /* strange where the CIE has none */
};

struct dump {
	uintptr_t bias;
	struct common common[MAX_COMMONS];
	int commons;
	bool in_common;
	unsigned long end; /* of the function that it is in; 0: none */
	struct columns columns;
	unsigned long pc; /* from where `row` holds */
	struct expected row;
	struct rows_compared *result;
};

/* The first difference is the one to look at. */
static __attribute__((format(printf, 2, 3))) void
differ(struct dump *dump, const char *format, ...)
{
	va_list list;

	if (*dump->result->difference)
		return;
	va_start(list, format);
	vsnprintf(dump->result->difference, sizeof(dump->result->difference),
		  format, list);
	va_end(list);
}

static int register_of(const char *name)
{
	size_t length = strcspn(name, "+");

	for (int i = 0; i < ROW_REGISTERS; i++)
		if (strlen(register_name[i]) == length &&
		    strncmp(name, register_name[i], length) == 0)
			return i;
	return -1;
}

/* "rsp+16" */
static struct expected expected_cfa(const char *text)
{
	struct expected expected = { .known = true };
	int base = register_of(text);
	int offset = base < 0 ? -1 : atoi(text + strcspn(text, "+"));

	if (strcmp(text, "exp") == 0)
		expected.known = false;
	else if (offset >= 0 && offset % 8 == 0 &&
		 offset <= 8 * RULE_MAX_OFFSET)
		expected.row = row_pack(ROW_PLAIN, (enum row_register)base,
					(uint32_t)offset / 8);
	return expected;
}

/* "u", "s", "c-16" */
static void expect_saved(struct expected *expected, const char *name,
			 const char *text)
{
	int reg = register_of(name), offset = -atoi(text + 1);

	if (RETURN_IS_ON_STACK && strcmp(name, "ra") == 0) {
		if (strcmp(text, "u") == 0)
			expected->row = ROW_OUTERMOST;
		else if (strcmp(text, "c-8") != 0)
			expected->row = ROW_STRANGE;
	}
	if (reg < 0 || strcmp(text, "u") == 0 || strcmp(text, "s") == 0)
		return;
	/* Of a resolver, see cfa_rules.c; at its end all is popped. */
	if (!RETURN_IS_ON_STACK && reg == ROW_RETURN && offset == -8) {
		if (expected->row == ROW_STRANGE)
			expected->row = row_pack(ROW_PLAIN, ROW_SP, 0);
		else
			expected->row += row_pack(0, 0, 2) |
					 row_pack_saved(ROW_RETURN, 1);
		return;
	}
	if (reg == ROW_SP || *text != 'c' || offset < 8 || offset % 8 ||
	    offset > 8 * ROW_MAX_SAVED)
		expected->row = ROW_STRANGE;
	else if (expected->row != ROW_STRANGE)
		expected->row |= row_pack_saved((enum row_register)reg,
						(uint32_t)offset / 8);
}

/* The next word that is not another name for the one before: "r10 (r10)". */
static const char *next_word(void)
{
	const char *word;

	do
		word = strtok(NULL, " \n");
	while (word && *word == '(');
	return word;
}

static struct expected expect(struct dump *dump, char *line)
{
	const struct columns *columns = &dump->columns;
	struct expected expected = expected_cfa(strtok(line, " \n"));

	for (int i = 0; i < columns->count; i++) {
		const char *text = next_word();

		if (text)
			expect_saved(&expected, columns->name[i], text);
		else
			differ(dump, "a line without column %d", i);
	}
	return expected;
}

static unwind_row row_at(uintptr_t pc)
{
	struct memory memory;

	memory_begin(&memory, &pc);
	return eh_frame_row(&memory, pc);
}

static void compare_at(struct dump *dump, unsigned long pc)
{
	unwind_row row = row_at(dump->bias + pc);

	/* That is also shown as undefined which has no rule yet. */
	if (!RETURN_IS_ON_STACK && row == ROW_OUTERMOST &&
	    !row_saved(dump->row.row, ROW_RETURN))
		return;
	if (dump->row.known && row != dump->row.row)
		differ(dump, "at %lx: %lx, not %lx", pc, (unsigned long)row,
		       (unsigned long)dump->row.row);
	/* An expression: strange, or one of those that a row has a kind for. */
	if (!dump->row.known && row_kind(row) == ROW_PLAIN)
		differ(dump, "at %lx: %lx, not an expression", pc,
		       (unsigned long)row);
}

/* The row read before holds up to here. */
static void end_row(struct dump *dump, unsigned long end)
{
	if (!dump->end || dump->pc == end)
		return;
	compare_at(dump, dump->pc);
	compare_at(dump, end - 1);
	dump->result->rows++;
}

static void end_function(struct dump *dump)
{
	end_row(dump, dump->end);
	dump->end = 0;
}

static void begin_common(struct dump *dump, const char *line)
{
	if (dump->commons == MAX_COMMONS) {
		differ(dump, "more than %d CIEs", MAX_COMMONS);
		return;
	}
	dump->common[dump->commons++] = (struct common){
		.offset = strtoul(line, NULL, 16),
		.row = { .known = true },
	};
	dump->in_common = true;
}

static struct expected row_of_common(struct dump *dump, unsigned long offset)
{
	for (int i = 0; i < dump->commons; i++)
		if (dump->common[i].offset == offset)
			return dump->common[i].row;
	differ(dump, "no CIE at %lx", offset);
	return (struct expected){ .known = false };
}

static void begin_function(struct dump *dump, const char *line)
{
	unsigned long cie;

	dump->in_common = false;
	if (sscanf(strstr(line, "cie="), "cie=%lx pc=%lx..%lx", &cie, &dump->pc,
		   &dump->end) == 3)
		dump->row = row_of_common(dump, cie);
	else
		differ(dump, "not read: %s", line);
}

static void read_columns(struct columns *columns, char *line)
{
	columns->count = 0;
	strtok(line, " \n"); /* LOC */
	strtok(NULL, " \n"); /* CFA */
	for (char *name; (name = strtok(NULL, " \n"));)
		strcpy(columns->name[columns->count++], name);
}

static void read_row(struct dump *dump, char *line)
{
	char *rest;
	unsigned long pc = strtoul(line, &rest, 16);
	struct expected row = expect(dump, rest);

	if (dump->in_common) {
		dump->common[dump->commons - 1].row = row;
		return;
	}
	end_row(dump, pc);
	dump->pc = pc;
	dump->row = row;
}

static void read_line(struct dump *dump, char *line)
{
	if (strstr(line, " CIE ")) {
		end_function(dump);
		begin_common(dump, line);
	} else if (strstr(line, " FDE ")) {
		end_function(dump);
		begin_function(dump, line);
	} else if (strncmp(line, "   LOC", 6) == 0) {
		read_columns(&dump->columns, line);
	} else if (strspn(line, "0123456789abcdef") == 16) {
		read_row(dump, line);
	}
}

void rows_compare(uintptr_t bias, const char *path,
		  struct rows_compared *result)
{
	char command[PATH_MAX + 80], line[LINE_BYTES];
	struct dump dump = { .bias = bias, .result = result };
	FILE *readelf;

	*result = (struct rows_compared){ .rows = 0 };
	snprintf(command, sizeof(command),
		 "exec readelf --debug-dump=frames-interp,no-follow-links '%s'",
		 path);
	readelf = popen(command, "r");
	if (!readelf) {
		differ(&dump, "no readelf");
		return;
	}
	while (fgets(line, sizeof(line), readelf))
		read_line(&dump, line);
	end_function(&dump);
	if (pclose(readelf))
		differ(&dump, "readelf failed");
}
