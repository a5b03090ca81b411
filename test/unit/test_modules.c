/*
 * The module table, tried on what is loaded in the test itself.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "machine_fixture.h"
#include "recording_fixture.h"
#include "sigsafe/live.h"
#include "sigsafe/record/modules.h"
#include "sigsafe/walk/object.h"

#define THREADS 4

static struct recording *start(void)
{
	object_note_program();
	return fixture_recording(1 << 20);
}

static struct place locate(struct recording *rec, const void *address)
{
	struct locator locator = { .recording = rec };

	return modules_locate(&locator, (uintptr_t)address, 0);
}

static const void *in_this_program(void)
{
	return (const void *)(uintptr_t)locate;
}

static const void *in_libc(void)
{
	return dlsym(RTLD_DEFAULT, "getpid");
}

Test(modules, an_address_is_its_object_and_the_offset_in_it)
{
	struct place place = locate(start(), in_libc());
	char path[PATH_BYTES];
	Dl_info info;

	cr_assert(dladdr(in_libc(), &info));
	cr_assert_eq(FRAME_OFFSET(place.word),
		     (uintptr_t)in_libc() - (uintptr_t)info.dli_fbase);
	cr_assert_eq(place.module->bias, (uintptr_t)info.dli_fbase);
	/* Ours is as long as a record has room for. */
	snprintf(path, sizeof(path), "%s", info.dli_fname);
	cr_assert_str_eq(place.module->path, path);
	cr_assert_eq(place.module->ready, 1);
}

Test(modules, the_program_has_its_full_path)
{
	char exe[PATH_BYTES] = "";

	cr_assert_gt(readlink("/proc/self/exe", exe, sizeof(exe) - 1), 0);
	cr_assert_str_eq(locate(start(), in_this_program()).module->path, exe);
}

Test(modules, the_kernels_object_is_called_vdso)
{
	const void *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct place place = locate(start(), vdso);

	NOT_EMULATED(NO_VDSO);
	cr_assert_str_eq(place.module->path, "[vdso]");
	cr_assert_eq(FRAME_OFFSET(place.word), 0);
	cr_assert_eq(place.module->text_start, (uintptr_t)vdso);
}

Test(modules, the_build_id_is_the_files)
{
	const struct module_record *module = locate(start(), in_libc()).module;
	int fd = open(module->path, O_RDONLY);
	const void *id;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	cr_assert_eq(dwelf_elf_gnu_build_id(elf, &id), module->build_id_bytes);
	cr_assert_eq(memcmp(id, module->build_id, module->build_id_bytes), 0);
	elf_end(elf);
	close(fd);
}

/* Is there such a mapping, as the kernel tells? */
static bool is_mapped_as_text(const struct module_record *module)
{
	char line[512], wanted[64];
	FILE *maps = fopen("/proc/self/maps", "r");
	bool found = false;

	snprintf(wanted, sizeof(wanted), "%lx-%lx r-xp %08lx ",
		 (unsigned long)module->text_start,
		 (unsigned long)module->text_end,
		 (unsigned long)module->text_offset);
	while (!found && fgets(line, sizeof(line), maps))
		found = strncmp(line, wanted, strlen(wanted)) == 0;
	fclose(maps);
	return found;
}

Test(modules, the_text_is_mapped_as_recorded)
{
	struct recording *rec = start();

	cr_assert(is_mapped_as_text(locate(rec, in_this_program()).module));
	cr_assert(is_mapped_as_text(locate(rec, in_libc()).module));
}

Test(modules, memory_outside_of_objects_is_its_own_address)
{
	void *heap = malloc(1);
	int local;

	start();
	cr_assert_eq(module_place(heap), (uintptr_t)heap);
	cr_assert_eq(module_place(&local), (uintptr_t)&local);
	free(heap);
}

static int a_variable = 1;

Test(modules, a_variable_lies_in_its_object)
{
	struct recording *rec = start();
	const struct module_record *module =
		locate(rec, in_this_program()).module;
	uint64_t place = module_place(&a_variable);

	cr_assert_eq(FRAME_MODULE(place),
		     FRAME_MODULE(locate(rec, in_this_program()).word));
	cr_assert_eq(FRAME_OFFSET(place) + module->bias,
		     (uintptr_t)&a_variable);
	cr_assert(!(place & FRAME_EXACT));
}

Test(modules, a_return_address_behind_the_last_byte_is_still_inside)
{
	struct recording *rec = start();
	struct locator locator = { .recording = rec };
	const struct module_record *libc = locate(rec, in_libc()).module;
	struct place place = modules_locate(&locator, libc->map_end, 1);

	cr_assert_eq(place.module, libc);
	cr_assert_eq(FRAME_OFFSET(place.word), libc->map_end - libc->bias);
}

Test(modules, without_a_recording_addresses_stay_as_they_are)
{
	cr_assert_eq(module_place(in_libc()), (uintptr_t)in_libc());
}

Test(modules, an_object_is_entered_once)
{
	struct recording *rec = start();
	uint64_t word = locate(rec, in_libc()).word;
	uint32_t used = rec->section[SECTION_MODULES].used;

	cr_assert_eq(locate(rec, in_libc()).word, word);
	cr_assert_eq(rec->section[SECTION_MODULES].used, used);
}

Test(modules, after_a_reset_numbers_begin_anew)
{
	struct recording *rec = start();

	cr_assert_eq(FRAME_MODULE(locate(rec, in_libc()).word), 1);
	rec = fixture_recording(1 << 20);
	modules_reset();
	cr_assert_eq(FRAME_MODULE(locate(rec, in_this_program()).word), 1);
	cr_assert_eq(FRAME_MODULE(locate(rec, in_libc()).word), 2);
}

Test(modules, a_full_table_is_counted_and_leaves_addresses)
{
	struct recording *rec = start();
	struct place place;

	rec->section[SECTION_MODULES].capacity = 2;
	live_begin(rec);
	cr_assert_eq(FRAME_MODULE(locate(rec, in_libc()).word), 1);
	place = locate(rec, in_this_program());
	cr_assert_eq(place.word, (uintptr_t)in_this_program());
	cr_assert_null(place.module);
	cr_assert(place.is_in_object);
	cr_assert_eq(fixture_lost(LOST_MODULE), 1);
	cr_assert_eq(FRAME_MODULE(locate(rec, in_libc()).word), 1);
}

Test(modules, look_ups_of_one_walk_come_to_an_end)
{
	struct recording *rec = start();
	struct locator locator = { .recording = rec, .copies = LOCATOR_COPIES };
	uintptr_t address = (uintptr_t)in_libc();
	struct place place = modules_locate(&locator, address, 0);

	cr_assert(place.is_in_object);
	cr_assert_null(place.module);
	cr_assert_eq(place.word, frame_pack(0, address));
	cr_assert_eq(rec->lost[LOST_MODULE], 1);
	/* The next walk has a budget of its own. */
	cr_assert(locate(rec, in_libc()).module);
}

static void *locate_some(void *argument)
{
	static const char *const names[] = { "getpid", "dlopen", "cos",
					     "elf_begin" };
	uint64_t *word = argument;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		word[i] = module_place(dlsym(RTLD_DEFAULT, names[i]));
	return NULL;
}

Test(modules, threads_that_meet_an_object_at_once_agree)
{
	start();
	for (int round = 0; round < 100; round++) {
		uint64_t word[THREADS][4];
		pthread_t thread[THREADS];

		fixture_recording(1 << 20);
		modules_reset();
		for (int i = 0; i < THREADS; i++)
			pthread_create(&thread[i], NULL, locate_some, word[i]);
		for (int i = 0; i < THREADS; i++)
			pthread_join(thread[i], NULL);
		for (int i = 1; i < THREADS; i++)
			cr_assert_arr_eq(word[i], word[0], sizeof(word[0]));
	}
}
