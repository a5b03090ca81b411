/*
 * Rows against what readelf says: at both ends of every row of every function
 * of some libraries, and of this program.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library_fixture.h"
#include "machine_fixture.h"
#include "sigsafe/eh_frame.h"

#define MAX_COMMONS 64
#define LINE_BYTES  512
#define SPOILT	    1000

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
	unsigned long rows; /* compared */
};

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
	else if (offset >= 0 && offset % 8 == 0 && offset < 8 << 15)
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

static struct expected expect(const struct columns *columns, char *line)
{
	struct expected expected = expected_cfa(strtok(line, " \n"));

	for (int i = 0; i < columns->count; i++) {
		const char *text = next_word();

		cr_assert_not_null(text);
		expect_saved(&expected, columns->name[i], text);
	}
	return expected;
}

static unwind_row row_at(uintptr_t pc)
{
	struct memory memory;

	memory_begin(&memory, &pc);
	return eh_frame_row(&memory, pc);
}

static void compare_at(const struct dump *dump, unsigned long pc)
{
	unwind_row row = row_at(dump->bias + pc);

	/* That is also shown as undefined which has no rule yet. */
	if (!RETURN_IS_ON_STACK && row == ROW_OUTERMOST &&
	    !row_saved(dump->row.row, ROW_RETURN))
		return;
	if (dump->row.known && row != dump->row.row)
		cr_assert_fail("at %lx: %lx, not %lx", pc, (unsigned long)row,
			       (unsigned long)dump->row.row);
	/* An expression: strange, or one of those that a row has a kind for. */
	if (!dump->row.known && row_kind(row) == ROW_PLAIN)
		cr_assert_fail("at %lx: %lx, not an expression", pc,
			       (unsigned long)row);
}

/* The row read before holds up to here. */
static void end_row(struct dump *dump, unsigned long end)
{
	if (!dump->end || dump->pc == end)
		return;
	compare_at(dump, dump->pc);
	compare_at(dump, end - 1);
	dump->rows++;
}

static void end_function(struct dump *dump)
{
	end_row(dump, dump->end);
	dump->end = 0;
}

static void begin_common(struct dump *dump, const char *line)
{
	cr_assert_lt(dump->commons, MAX_COMMONS);
	dump->common[dump->commons++] = (struct common){
		.offset = strtoul(line, NULL, 16),
		.row = { .known = true },
	};
	dump->in_common = true;
}

static const struct common *common_at(const struct dump *dump,
				      unsigned long offset)
{
	for (int i = 0; i < dump->commons; i++)
		if (dump->common[i].offset == offset)
			return &dump->common[i];
	cr_assert_fail("no CIE at %lx", offset);
	return NULL;
}

static void begin_function(struct dump *dump, const char *line)
{
	unsigned long cie;

	dump->in_common = false;
	cr_assert_eq(sscanf(strstr(line, "cie="), "cie=%lx pc=%lx..%lx", &cie,
			    &dump->pc, &dump->end),
		     3);
	dump->row = common_at(dump, cie)->row;
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
	struct expected row = expect(&dump->columns, rest);

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

/* All of the loaded object behind dlopen's handle, but what else it loads. */
static unsigned long compare_object(void *handle, const char *path)
{
	char command[PATH_MAX + 80], line[LINE_BYTES];
	struct dump dump = { .commons = 0 };
	struct link_map *map;
	FILE *readelf;

	cr_assert_not_null(handle, "%s", dlerror());
	cr_assert_eq(dlinfo(handle, RTLD_DI_LINKMAP, &map), 0);
	dump.bias = map->l_addr;
	snprintf(command, sizeof(command),
		 "exec readelf --debug-dump=frames-interp,no-follow-links '%s'",
		 path ? path : map->l_name);
	readelf = popen(command, "r");
	cr_assert_not_null(readelf);
	while (fgets(line, sizeof(line), readelf))
		read_line(&dump, line);
	end_function(&dump);
	cr_assert_eq(pclose(readelf), 0);
	return dump.rows;
}

static unsigned long compare_library(const char *name)
{
	return compare_object(dlopen(name, RTLD_NOW), NULL);
}

TestSuite(eh_frame, .timeout = 60);

Test(eh_frame, every_row_of_libc_is_what_readelf_says)
{
	cr_assert_gt(compare_library("libc.so.6"), 10000);
}

Test(eh_frame, every_row_of_libstdcxx_is_what_readelf_says)
{
	cr_assert_gt(compare_library("libstdc++.so.6"), 10000);
}

Test(eh_frame, every_row_of_hand_written_code_is_what_readelf_says)
{
	cr_assert_gt(compare_library("libgcc_s.so.1"), 100);
	cr_assert_gt(compare_library(LOADER), 100);
}

Test(eh_frame, every_row_of_this_program_is_what_readelf_says)
{
	char path[PATH_MAX];

	cr_assert_not_null(realpath("/proc/self/exe", path));
	cr_assert_gt(compare_object(dlopen(NULL, RTLD_NOW), path), 100);
}

static unsigned seed;

/* Some bytes of the table and of what it points to. */
static void spoil(Elf64_Ehdr *image)
{
	Elf64_Phdr *header = fixture_header(image, PT_GNU_EH_FRAME);
	Elf64_Phdr *segment = (void *)((char *)image + image->e_phoff);
	uint8_t *table = (uint8_t *)image + header->p_offset;

	while (segment->p_type != PT_LOAD ||
	       segment->p_offset > header->p_offset ||
	       segment->p_offset + segment->p_filesz <= header->p_offset)
		segment++;
	for (unsigned i = 0; i < 1 + seed % 8; i++) {
		size_t bytes = segment->p_offset + segment->p_filesz -
			       header->p_offset;
		/* The table's own head is looked at first: spare it mostly. */
		size_t from = seed % 4 ? 12 : 0;

		table[from + (size_t)rand_r(&seed) % (bytes - from)] =
			(uint8_t)rand_r(&seed);
	}
}

Test(eh_frame, spoilt_tables_have_some_row_or_none)
{
	for (unsigned i = 0; i < SPOILT; i++) {
		void *library;
		uintptr_t text;

		seed = i;
		library = fixture_load_library(spoil);
		text = fixture_text_of(library);
		/* It is small: all of its text, and something around. */
		for (uintptr_t pc = text - 512; pc < text + 512; pc++)
			cr_assert_leq(row_kind(row_at(pc)), ROW_OUTERMOST);
		dlclose(library);
	}
}

Test(eh_frame, what_is_in_no_function_has_no_row)
{
	static int datum;

	cr_assert_eq(row_at((uintptr_t)&datum), ROW_STRANGE);
	cr_assert_eq(row_at(0), ROW_STRANGE);
	cr_assert_eq(row_at(UINTPTR_MAX), ROW_STRANGE);
}
