/*
 * Names, from this very program's file, copies of it, libc and the vDSO.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine_fixture.h"
#include "setup/libelf.h"
#include "setup/names.h"
#include "text_fixture.h"

/*
 * Functions, of no instructions, whose size and place are known: [0,2) sized, a
 * gap of 4, [6,9) unsized up to the next, [9,19) outer with [11,12) inner in
 * it.
 */
__asm__(".text\n"
	".type names_sized,@function\n"
	".type _names_sized,@function\n"
	"_names_sized: names_sized: .skip 2\n"
	".size names_sized,2\n.size _names_sized,2\n"
	".skip 4\n"
	".type names_unsized,@function\n"
	"names_unsized: .skip 3\n"
	".type names_outer,@function\n"
	"names_outer: .skip 2\n"
	".type names_inner,@function\n"
	"names_inner: .skip 1\n.size names_inner,1\n"
	".skip 7\n.size names_outer,10\n"
	".balign 32\n"
	".type names_uncut,@function\n"
	"names_uncut: .skip 16\n"
	".cfi_startproc\n.skip 16\n.cfi_endproc\n");

extern const char names_sized[] __attribute__((visibility("hidden")));
extern const char names_uncut[] __attribute__((visibility("hidden")));

struct cache {
	int size;
	int lock[10];
};

struct cache names_cache;

static struct recording *rec;
static const struct text_names *names;
static struct module_record *self; /* module 1: this program */
static char directory[] = "/tmp/test_names.XXXXXX";

static void read_build_id(struct module_record *m, const char *at, size_t bytes)
{
	const char *end = at + bytes;

	while (at < end) {
		const ElfW(Nhdr) *note = (const void *)at;
		const char *name = at + sizeof(*note);
		const char *text = name + (note->n_namesz + 3) / 4 * 4;

		if (note->n_type == NT_GNU_BUILD_ID &&
		    !strcmp(name, ELF_NOTE_GNU)) {
			m->build_id_bytes = note->n_descsz;
			memcpy(m->build_id, text, note->n_descsz);
		}
		at = text + (note->n_descsz + 3) / 4 * 4;
	}
}

/* Enters the object that is mapped at address under path. */
static struct module_record *enter(const void *address, const char *path)
{
	struct dl_find_object object;
	struct module_record *m;
	const ElfW(Ehdr) * header;
	const ElfW(Phdr) * segment;

	_dl_find_object((void *)(uintptr_t)address, &object);
	header = object.dlfo_map_start;
	segment = (const void *)((const char *)header + header->e_phoff);
	m = add_module(rec, path, (uintptr_t)object.dlfo_map_start + 0x1000,
		       (uintptr_t)object.dlfo_map_end);
	m->bias = object.dlfo_link_map->l_addr;
	for (int i = 0; i < header->e_phnum; i++, segment++) {
		if (segment->p_type == PT_NOTE)
			read_build_id(m,
				      (const char *)m->bias + segment->p_vaddr,
				      segment->p_memsz);
	}
	return m;
}

static void make(void)
{
	char path[PATH_BYTES] = "";

	cr_assert_gt(readlink("/proc/self/exe", path, sizeof(path) - 1), 0);
	rec = text_fixture();
	self = enter(names_sized, path);
	libelf_load();
	names = names_open();
	cr_assert_not_null(names);
	cr_assert_not_null(mkdtemp(directory));
}

static int run(const char *command)
{
	char line[2048];

	snprintf(line, sizeof(line), "cd %s && exe=%s && %s", directory,
		 self->path, command);
	return system(line);
}

static void release(void)
{
	names_close();
	cr_assert_eq(run("rm -r $PWD"), 0);
}

TestSuite(names, .init = make, .fini = release);

static uint64_t frame_at(const char *address)
{
	return frame_pack(1, (uintptr_t)address - self->bias);
}

/* The answer for the instruction at address: its name and offset. */
static const char *function_at(const char *address)
{
	static char text[256];
	struct text_name answer;

	if (!names->function(names->ctx, rec, frame_at(address + 1), &answer))
		return "unknown";
	snprintf(text, sizeof(text), "%s+%d", answer.name, (int)answer.offset);
	return text;
}

static void be_file(const char *name)
{
	snprintf(self->path, sizeof(self->path), "%s/%s", directory, name);
}

Test(names, a_function_is_known_by_every_address_in_it)
{
	cr_assert_str_eq(function_at(names_sized), "names_sized+0");
	cr_assert_str_eq(function_at(names_sized + 1), "names_sized+1");
}

Test(names, behind_the_end_of_a_function_is_nothing)
{
	cr_assert_str_eq(function_at(names_sized + 2), "unknown");
	cr_assert_str_eq(function_at(names_sized + 5), "unknown");
	cr_assert_str_eq(function_at(names_sized + 19), "unknown");
}

Test(names, a_function_without_size_reaches_to_the_next)
{
	cr_assert_str_eq(function_at(names_sized + 6), "names_unsized+0");
	cr_assert_str_eq(function_at(names_sized + 8), "names_unsized+2");
	cr_assert_str_eq(function_at(names_sized + 9), "names_outer+0");
}

Test(names, a_function_without_size_ends_where_another_begins)
{
	cr_assert_str_eq(function_at(names_uncut + 15), "names_uncut+15");
	cr_assert_str_eq(function_at(names_uncut + 16), "unknown");
}

Test(names, a_function_inside_another_hides_only_its_own_part)
{
	cr_assert_str_eq(function_at(names_sized + 10), "names_outer+1");
	cr_assert_str_eq(function_at(names_sized + 11), "names_inner+0");
	cr_assert_str_eq(function_at(names_sized + 12), "names_outer+3");
	cr_assert_str_eq(function_at(names_sized + 18), "names_outer+9");
}

Test(names, a_variable_is_known_by_exact_addresses)
{
	struct text_name answer;
	const char *lock = (const char *)&names_cache.lock[2];

	cr_assert(names->variable(names->ctx, rec, frame_at(lock), &answer));
	cr_assert_str_eq(answer.name, "names_cache");
	cr_assert_eq(answer.offset, offsetof(struct cache, lock[2]));
	cr_assert_not(
		names->function(names->ctx, rec, frame_at(lock), &answer));
	cr_assert_not(names->variable(names->ctx, rec, frame_at(names_sized),
				      &answer));
}

Test(names, an_address_in_no_module_is_unknown)
{
	struct text_name answer;

	cr_assert_not(names->function(names->ctx, rec, frame_pack(0, 0x1000),
				      &answer));
	cr_assert_not(names->function(names->ctx, rec, frame_pack(9, 0x1000),
				      &answer));
	cr_assert_not(names->function(
		names->ctx, rec, frame_pack(MAX_MODULES, 0x1000), &answer));
}

Test(names, a_file_of_another_build_is_not_trusted)
{
	self->build_id[0] ^= 1;
	cr_assert_str_eq(function_at(names_sized), "unknown");
}

Test(names, a_file_that_has_a_build_id_is_not_one_without)
{
	self->build_id_bytes = 0;
	cr_assert_str_eq(function_at(names_sized), "unknown");
}

Test(names, what_is_no_elf_file_has_no_names)
{
	cr_assert_eq(run("echo text > text && mkfifo pipe"), 0);
	be_file("gone");
	cr_assert_str_eq(function_at(names_sized), "unknown");
	names_close();
	names = names_open();
	be_file("text");
	cr_assert_str_eq(function_at(names_sized), "unknown");
	names_close();
	names = names_open();
	be_file("pipe");
	cr_assert_str_eq(function_at(names_sized), "unknown");
}

/* A stripped copy, its symbols in debug/symbols. */
static void strip_self(void)
{
	cr_assert_eq(run("mkdir debug && "
			 "objcopy --only-keep-debug $exe debug/symbols && "
			 "strip -o stripped $exe && objcopy "
			 "--add-gnu-debuglink=debug/symbols stripped"),
		     0);
	be_file("stripped");
}

Test(names, a_stripped_file_alone_has_no_private_names)
{
	strip_self();
	cr_assert_str_eq(function_at(names_sized), "unknown");
}

Test(names, a_debug_file_beside_it_names_a_stripped_one)
{
	strip_self();
	cr_assert_eq(run("mv debug/symbols ."), 0);
	cr_assert_str_eq(function_at(names_sized + 1), "names_sized+1");
}

Test(names, a_debug_file_in_the_debug_folder_does_as_well)
{
	strip_self();
	cr_assert_eq(run("mv debug .debug"), 0);
	cr_assert_str_eq(function_at(names_sized + 1), "names_sized+1");
}

Test(names, a_debug_file_of_another_build_is_not_taken)
{
	strip_self();
	cr_assert_eq(run("objcopy --remove-section=.note.gnu.build-id "
			 "debug/symbols symbols"),
		     0);
	cr_assert_str_eq(function_at(names_sized), "unknown");
}

/* Without build-ids the CRC of the debug file decides. */
static void strip_self_without_build_id(const char *then)
{
	cr_assert_eq(run("objcopy --remove-section=.note.gnu.build-id $exe "
			 "whole && objcopy --only-keep-debug whole symbols "
			 "2>/dev/null && strip -o stripped whole && objcopy "
			 "--add-gnu-debuglink=symbols stripped"),
		     0);
	cr_assert_eq(run(then), 0);
	be_file("stripped");
	self->build_id_bytes = 0;
	rec->start_realtime_ns = UINT64_MAX;
}

Test(names, without_build_ids_the_right_checksum_is_taken)
{
	strip_self_without_build_id("true");
	cr_assert_str_eq(function_at(names_sized), "names_sized+0");
}

Test(names, without_build_ids_a_wrong_checksum_is_not)
{
	strip_self_without_build_id("echo >> symbols");
	cr_assert_str_eq(function_at(names_sized), "unknown");
}

Test(names, without_build_ids_a_file_changed_since_the_start_is_not_taken)
{
	struct stat file;

	strip_self_without_build_id("true");
	cr_assert_eq(stat(self->path, &file), 0);
	rec->start_realtime_ns = (uint64_t)file.st_ctim.tv_sec * NS_PER_S +
				 (uint64_t)file.st_ctim.tv_nsec;
	cr_assert_str_eq(function_at(names_sized), "unknown");
	names_close();
	names = names_open();
	rec->start_realtime_ns++;
	cr_assert_str_eq(function_at(names_sized), "names_sized+0");
}

/* libc, as module 2: Debian strips it, libc6-dbg has its symbols. */
static struct module_record *enter_libc(void)
{
	const void *inside = (const void *)(uintptr_t)gnu_get_libc_version;
	struct dl_find_object object;

	_dl_find_object((void *)(uintptr_t)inside, &object);
	return enter(inside, object.dlfo_link_map->l_name);
}

static const char *libc_function(const struct module_record *libc,
				 uint64_t address)
{
	struct text_name answer;

	if (names->function(names->ctx, rec,
			    frame_pack(2, address - libc->bias + 1), &answer))
		return answer.name;
	return "unknown";
}

Test(names, of_libc_are_the_ones_people_know)
{
	struct module_record *libc = enter_libc();

	cr_assert_str_eq(libc_function(libc, (uintptr_t)sched_yield),
			 "sched_yield");
	cr_assert_str_eq(libc_function(libc, (uintptr_t)gnu_get_libc_version),
			 "gnu_get_libc_version");
}

Test(names, a_debug_file_is_found_by_build_id)
{
	struct module_record *libc = enter_libc();
	uint64_t at = libc->text_start;

	NOT_EMULATED("no debug files are installed");
	while (at < libc->text_end &&
	       strcmp(libc_function(libc, at), "__libc_start_call_main"))
		at++;
	cr_assert_lt(at, libc->text_end);
}

Test(names, of_the_vdso_come_from_memory)
{
	const char *start = (const char *)getauxval(AT_SYSINFO_EHDR);
	struct module_record *vdso;
	uint64_t bytes;
	struct text_name answer;
	bool found = false;

	NOT_EMULATED(NO_VDSO);
	vdso = enter(start, "[vdso]");
	bytes = vdso->map_end - vdso->map_start;
	for (uint64_t at = 0; at < bytes && !found; at++)
		found = names->function(names->ctx, rec,
					frame_pack(2, (uintptr_t)start + at -
							      vdso->bias),
					&answer) &&
			strstr(answer.name, "clock_gettime");
	cr_assert(found);
}

static int count_descriptors(void)
{
	DIR *open_ones = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(open_ones))
		n++;
	closedir(open_ones);
	return n;
}

Test(names, no_descriptor_stays_open)
{
	int before = count_descriptors();

	strip_self();
	cr_assert_eq(run("mv debug/symbols ."), 0);
	cr_assert_str_eq(function_at(names_sized), "names_sized+0");
	cr_assert_eq(count_descriptors(), before);
}
