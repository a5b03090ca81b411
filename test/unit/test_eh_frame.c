/*
 * Rows against what readelf says, of some libraries and of this program; and
 * rows of tables that are spoilt.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>

#include "library_fixture.h"
#include "machine_fixture.h"
#include "rows_fixture.h"
#include "sigsafe/walk/eh_frame.h"

#define SPOILT 1000

static unwind_row row_at(uintptr_t pc)
{
	struct memory memory;

	memory_begin(&memory, &pc);
	return eh_frame_row(&memory, pc);
}

/* All of the loaded object behind dlopen's handle, but what else it loads. */
static unsigned long compare_object(void *handle, const char *path)
{
	struct rows_compared compared;
	struct link_map *map;

	cr_assert_not_null(handle, "%s", dlerror());
	cr_assert_eq(dlinfo(handle, RTLD_DI_LINKMAP, &map), 0);
	rows_compare(map->l_addr, path ? path : map->l_name, &compared);
	cr_assert_str_empty(compared.difference, "%s", compared.difference);
	return compared.rows;
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

static __attribute__((noinline)) uintptr_t my_caller(void)
{
	return (uintptr_t)__builtin_return_address(0);
}

static __attribute__((noinline)) uintptr_t be_large(void)
{
	char room[3 << 20];
	uintptr_t here;

	__asm__ volatile("" : : "r"(room) : "memory");
	here = my_caller();
	__asm__ volatile("" : : "r"(room) : "memory");
	return here;
}

Test(eh_frame, a_frame_of_three_megabytes_has_a_row)
{
	if (!RETURN_IS_ON_STACK)
		cr_skip_test("registers are saved at the frame's far end");
	cr_assert_neq(row_at(be_large()), ROW_STRANGE);
}

Test(eh_frame, what_is_in_no_function_has_no_row)
{
	static int datum;

	cr_assert_eq(row_at((uintptr_t)&datum), ROW_STRANGE);
	cr_assert_eq(row_at(0), ROW_STRANGE);
	cr_assert_eq(row_at(UINTPTR_MAX), ROW_STRANGE);
}
