/*
 * The module table, when libraries come and go.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "library_fixture.h"
#include "machine_fixture.h"
#include "recording_fixture.h"
#include "sigsafe/modules.h"
#include "sigsafe/object.h"

static struct recording *rec;

static void start(void)
{
	object_note_program();
	rec = fixture_recording(1 << 20);
}

TestSuite(modules_reload, .init = start);

static char change = 1;

/* Its last byte: behind the note's head and name ("GNU") come twenty. */
static void change_build_id(Elf64_Ehdr *image)
{
	for (unsigned i = 0; i < image->e_phnum; i++) {
		Elf64_Phdr *header = (void *)((char *)image + image->e_phoff);
		char *note = (char *)image + header[i].p_offset;

		if (header[i].p_type == PT_NOTE &&
		    ((Elf64_Nhdr *)(void *)note)->n_type == NT_GNU_BUILD_ID)
			note[sizeof(Elf64_Nhdr) + sizeof(ELF_NOTE_GNU) + 19] ^=
				change;
	}
}

static void remove_notes(Elf64_Ehdr *image)
{
	Elf64_Phdr *header = (void *)((char *)image + image->e_phoff);

	for (unsigned i = 0; i < image->e_phnum; i++)
		if (header[i].p_type == PT_NOTE)
			header[i].p_type = PT_NULL;
}

struct visit {
	const struct module_record *module;
	uint32_t number;
};

/* Loads a copy, looks where it is, and unloads it. */
static struct visit visit(fixture_edit *edit)
{
	struct locator locator = { .recording = rec };
	void *handle = fixture_load_library(edit);
	struct place place =
		modules_locate(&locator, fixture_text_of(handle), 0);

	cr_assert_not_null(place.module);
	dlclose(handle);
	return (struct visit){ place.module, FRAME_MODULE(place.word) };
}

static void assert_same_addresses(struct visit a, struct visit b)
{
	cr_assert_eq(a.module->map_start, b.module->map_start);
	cr_assert_eq(a.module->map_end, b.module->map_end);
}

Test(modules_reload, the_same_build_at_the_same_place_is_the_same_module)
{
	struct visit first = visit(NULL), second = visit(NULL);

	NOT_EMULATED(NO_PLACE_TWICE);
	assert_same_addresses(first, second);
	cr_assert_eq(first.number, second.number);
}

Test(modules_reload, another_build_at_the_same_place_is_another_module)
{
	struct visit first = visit(NULL), other = visit(change_build_id);

	NOT_EMULATED(NO_PLACE_TWICE);
	assert_same_addresses(first, other);
	cr_assert_neq(first.number, other.number);
	cr_assert_eq(visit(NULL).number, first.number);
	cr_assert_eq(visit(change_build_id).number, other.number);
}

Test(modules_reload, builds_that_find_no_room_leave_it_to_others)
{
	uint32_t number;

	NOT_EMULATED(NO_PLACE_TWICE);
	rec = fixture_recording(8 << 20);
	for (unsigned i = 1; i < 200; i++) {
		void *handle;

		change = (char)i;
		handle = fixture_load_library(change_build_id);
		module_place((void *)fixture_text_of(handle));
		dlclose(handle);
	}
	cr_assert_gt(rec->lost[LOST_MODULE], 0);
	number = FRAME_MODULE(module_place((void *)start));
	cr_assert(number > 0 && number + rec->lost[LOST_MODULE] <= 201);
}

Test(modules_reload, without_build_ids_the_path_tells_them_apart)
{
	struct visit first = visit(remove_notes), other = visit(remove_notes);

	NOT_EMULATED(NO_PLACE_TWICE);
	assert_same_addresses(first, other);
	cr_assert_eq(first.module->build_id_bytes, 0);
	cr_assert_str_neq(first.module->path, other.module->path);
	cr_assert_neq(first.number, other.number);
}

Test(modules_reload, without_a_build_id_the_same_file_is_the_same_module)
{
	struct locator locator = { .recording = rec };
	void *handle = fixture_load_library(remove_notes);
	uintptr_t text = fixture_text_of(handle);
	uint64_t word = modules_locate(&locator, text, 0).word;

	cr_assert_neq(FRAME_MODULE(word), 0);
	cr_assert_eq(module_place((void *)text), word);
}

Test(modules_reload, a_relative_path_is_made_absolute)
{
	char directory[] = "/tmp/stallshim.XXXXXX", wanted[PATH_MAX];
	uint64_t word;
	const struct module_record *modules =
		section_records(rec, SECTION_MODULES);
	void *handle;

	cr_assert_not_null(mkdtemp(directory));
	cr_assert_eq(chdir(directory), 0);
	object_note_program();
	fixture_copy_library("copy.so", NULL);
	handle = dlopen("./copy.so", RTLD_NOW);
	unlink("copy.so");
	rmdir(directory);
	cr_assert_not_null(handle);
	word = module_place((void *)fixture_text_of(handle));
	snprintf(wanted, sizeof(wanted), "%s/copy.so", directory);
	cr_assert_str_eq(modules[FRAME_MODULE(word)].path, wanted);
}
