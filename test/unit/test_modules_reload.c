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
#include "sigsafe/record/modules.h"
#include "sigsafe/walk/object.h"

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

Test(modules_reload, without_a_build_id_the_same_file_is_the_same_module)
{
	struct locator locator = { .recording = rec };
	void *handle = fixture_load_library(remove_notes);
	uintptr_t text = fixture_text_of(handle);
	uint64_t word = modules_locate(&locator, text, 0).word;

	cr_assert_neq(FRAME_MODULE(word), 0);
	cr_assert_eq(module_place((void *)text), word);
}

/* The last one that is not written; it goes on beyond its first page. */
static Elf64_Phdr *last_read_only(Elf64_Ehdr *image)
{
	Elf64_Phdr *segment = fixture_header(image, PT_LOAD), *last = segment;

	for (; segment->p_type == PT_LOAD; segment++)
		if (!(segment->p_flags & PF_W))
			last = segment;
	return last;
}

/* As an editor of files leaves it: at the end of a segment. */
static void move_build_id(Elf64_Ehdr *image)
{
	const size_t bytes = sizeof(Elf64_Nhdr) + sizeof(ELF_NOTE_GNU) + 20;
	Elf64_Phdr *note = fixture_header(image, PT_NOTE);
	Elf64_Phdr *segment = last_read_only(image);
	char *file = (char *)image;

	while (((Elf64_Nhdr *)(void *)(file + note->p_offset))->n_type !=
	       NT_GNU_BUILD_ID)
		note++;
	segment->p_filesz = (segment->p_filesz + 3) & ~UINT64_C(3);
	if (segment->p_vaddr + segment->p_filesz < 4096)
		segment->p_filesz = 4096;
	memcpy(file + segment->p_offset + segment->p_filesz,
	       file + note->p_offset, bytes);
	note->p_offset = segment->p_offset + segment->p_filesz;
	note->p_vaddr = segment->p_vaddr + segment->p_filesz;
	note->p_filesz = note->p_memsz = bytes;
	segment->p_filesz += bytes;
	segment->p_memsz = segment->p_filesz;
	cr_assert_leq(note->p_offset + bytes, segment[1].p_offset);
}

Test(modules_reload, a_build_id_is_read_wherever_it_is_mapped)
{
	struct visit first = visit(NULL), moved = visit(move_build_id);

	cr_assert_eq(moved.module->build_id_bytes,
		     first.module->build_id_bytes);
	cr_assert_arr_eq(moved.module->build_id, first.module->build_id,
			 first.module->build_id_bytes);
}

static void remove_notes_too(Elf64_Ehdr *image)
{
	remove_notes(image);
	image->e_shoff += 8; /* nothing that is mapped */
}

/* Loads what is at path, looks where it is, and unloads it. */
static struct visit visit_at(const char *path, bool *is_sure)
{
	struct locator locator = { .recording = rec };
	void *handle = dlopen(path, RTLD_NOW);
	struct place place;

	cr_assert_not_null(handle, "%s", dlerror());
	place = modules_locate(&locator, fixture_text_of(handle), 0);
	*is_sure = locator.last.is_sure;
	dlclose(handle);
	return (struct visit){ place.module, FRAME_MODULE(place.word) };
}

Test(modules_reload, without_build_ids_two_files_of_one_name_are_two_modules)
{
	char path[FIXTURE_PATH_BYTES], other_path[FIXTURE_PATH_BYTES];
	struct visit first, again, other;
	bool is_sure;

	NOT_EMULATED(NO_PLACE_TWICE);
	fixture_make_library(path, remove_notes);
	fixture_make_library(other_path, remove_notes);
	first = visit_at(path, &is_sure);
	cr_assert(is_sure);
	again = visit_at(path, &is_sure);
	cr_assert(!is_sure);
	cr_assert_eq(rename(other_path, path), 0);
	other = visit_at(path, &is_sure);
	unlink(path);
	assert_same_addresses(first, other);
	cr_assert_eq(first.module->build_id_bytes, 0);
	cr_assert_eq(first.number, again.number);
	cr_assert_neq(first.number, other.number);
	cr_assert_neq(first.module->identity, other.module->identity);
}

Test(modules_reload, a_file_that_was_written_anew_is_another_module)
{
	char path[FIXTURE_PATH_BYTES];
	struct visit first, other;
	bool is_sure;

	NOT_EMULATED(NO_PLACE_TWICE);
	fixture_make_library(path, remove_notes);
	first = visit_at(path, &is_sure);
	fixture_copy_library(path, remove_notes_too);
	other = visit_at(path, &is_sure);
	unlink(path);
	assert_same_addresses(first, other);
	cr_assert_neq(first.number, other.number);
}

Test(modules_reload, what_was_loaded_before_us_can_go)
{
	void *handle = fixture_load_library(NULL);
	struct object object;

	object_note_program();
	cr_assert(object_find(fixture_text_of(handle), &object));
	cr_assert(!object_stays(&object));
	cr_assert(
		object_find((uintptr_t)dlsym(RTLD_DEFAULT, "getpid"), &object));
	cr_assert(object_stays(&object));
	cr_assert(object_find((uintptr_t)start, &object));
	cr_assert(object_stays(&object));
	dlclose(handle);
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
