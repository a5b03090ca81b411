/*
 * A loaded object: found, named and described.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walk/object.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/identity.h"
#include "sigsafe/os/memory.h"
#include "sigsafe/os/program_file.h"
#include "sigsafe/os/sys.h"
#include "sigsafe/walk/elf_image.h"
#include "sigsafe/walk/loader_record.h"
#include "sigsafe/walk/starters.h"

#pragma weak _dl_find_object

/* What glibc calls the kernel's object. */
#define VDSO_NAME "linux-vdso.so.1"

/* Written by object_find_by(), in the constructor; NULL: there is none. */
static object_finder *finder = _dl_find_object;

/* All written by object_note_program(), in the constructor. */
static uintptr_t program_start, program_end; /* without its bias */
static const struct link_map *program;

void object_find_by(object_finder *libcs)
{
	finder = libcs;
}

bool object_can_be_found(void)
{
	return finder != NULL;
}

bool object_find(uintptr_t address, struct object *object)
{
	struct dl_find_object found;

	if (!object_can_be_found() || finder((void *)address, &found) != 0)
		return false;
	*object = (struct object){
		.start = (uintptr_t)found.dlfo_map_start,
		.end = (uintptr_t)found.dlfo_map_end,
		.part_start = (uintptr_t)found.dlfo_map_start,
		.part_end = (uintptr_t)found.dlfo_map_end,
		.map = found.dlfo_link_map,
		.unwind_table = found.dlfo_eh_frame,
	};
	/* libc takes parts with a gap between for objects of their own. */
	if (object->map == program && program_end) {
		object->start = program->l_addr + program_start;
		object->end = program->l_addr + program_end;
	}
	return true;
}

bool object_stays(const struct object *object)
{
	return starters_have(object->map);
}

/* The loader's list begins with the program. */
static void note_starters(void)
{
	struct object object;

	program_end = 0;
	program = NULL;
	if (!object_find(getauxval(AT_PHDR), &object))
		return;
	program = object.map;
	starters_note(program);
	loader_record_start(program);
}

static void note_extent(void)
{
	const Elf64_Phdr *segment = (const void *)getauxval(AT_PHDR);
	size_t segments = getauxval(AT_PHNUM);

	program_start = UINTPTR_MAX;
	for (size_t i = 0; i < segments; i++) {
		if (segment[i].p_type != PT_LOAD)
			continue;
		program_start = min_u64(program_start, segment[i].p_vaddr);
		program_end = max_u64(program_end,
				      segment[i].p_vaddr + segment[i].p_memsz);
	}
	program_start &= ~(uintptr_t)(PAGE_BYTES - 1);
}

/*
 * A string of the loader's, as far as it can be read and there is room. No
 * piece that ends at a multiple of the piece's size is in two pages.
 */
static void copy_string(char path[PATH_BYTES], const char *from)
{
	size_t length = 0;

	while (length < PATH_BYTES - 1) {
		size_t bytes = OBJECT_PIECE_BYTES -
			       (uintptr_t)from % OBJECT_PIECE_BYTES;
		size_t used;

		bytes = min_u64(bytes, PATH_BYTES - 1 - length);
		if (!memory_copy(path + length, from, bytes))
			bytes = 0;
		used = strnlen(path + length, bytes);
		length += used;
		from += used;
		if (used < bytes || !bytes)
			break;
	}
	path[length] = '\0';
}

void object_note_program(void)
{
	note_starters();
	note_extent();
	program_file_note(program ? program->l_addr + program_start : 0);
}

/* False: the loader does not know it any more. */
static bool copy_map(const struct object *object, struct link_map *map)
{
	return memory_copy(map, object->map, sizeof(*map));
}

static void path_by_map(const struct object *object, const struct link_map *map,
			char path[PATH_BYTES])
{
	if (object->map == program) {
		memcpy(path, program_file_path(), PATH_BYTES);
		return;
	}
	copy_string(path, map->l_name);
	if (strcmp(path, VDSO_NAME) == 0)
		strcpy(path, "[vdso]");
	else if (*path && *path != '/')
		program_file_make_absolute(path);
}

void object_path(const struct object *object, char path[PATH_BYTES])
{
	struct link_map map;

	*path = '\0';
	if (copy_map(object, &map))
		path_by_map(object, &map, path);
}

/* Not inlined: seldom needed, and it takes much of the host's stack. */
__attribute__((noinline)) bool object_identity(const struct object *object,
					       uint64_t *identity)
{
	uint64_t first[IDENTITY_WORDS];
	uint64_t inode = object->map == program
				 ? program_file_inode()
				 : loader_record_inode(object->map);

	if (!inode ||
	    !memory_copy(first, (const void *)object->start, sizeof(first)))
		return false;
	*identity = identity_of(inode, first);
	return true;
}

/* In whole pages, as the kernel maps it. */
static void take_text(const struct elf_image *image, const Elf64_Phdr *text,
		      uint64_t *start, uint64_t *end, uint64_t *offset)
{
	uintptr_t in_page = PAGE_BYTES - 1;
	uintptr_t first = image->bias + text->p_vaddr;

	*start = first & ~in_page;
	*end = (first + text->p_memsz + in_page) & ~in_page;
	*offset = text->p_offset & ~in_page;
}

static void describe_text(const struct elf_image *image, uintptr_t address,
			  struct module_record *record)
{
	Elf64_Phdr text, apart;

	/* A datum: the module still has text, which other frames are in. */
	if (!elf_image_load_segment(image, address, PF_X, &text) &&
	    !elf_image_text(image, ELF_IMAGE_NO_TEXT, &text))
		return;
	take_text(image, &text, &record->text_start, &record->text_end,
		  &record->text_offset);
	if (elf_image_text(image, text.p_vaddr, &apart))
		take_text(image, &apart, &record->apart_start,
			  &record->apart_end, &record->apart_offset);
}

/* Returns where it lies, or 0: none, or too far away for an index to it. */
static uintptr_t describe_build_id(const struct elf_image *image,
				   struct module_record *record)
{
	uint32_t bytes;
	uintptr_t at = elf_image_build_id(image, &bytes);
	const uint8_t *id;

	if (at - record->map_start > INT32_MAX)
		return 0;
	bytes = (uint32_t)min_u64(bytes, BUILD_ID_BYTES);
	id = memory_view(image->memory, at, bytes);
	if (!id)
		return 0;
	record->build_id_bytes = bytes;
	memcpy(record->build_id, id, bytes);
	return at;
}

uint32_t object_describe(const struct object *object, uintptr_t address,
			 struct module_record *record, struct memory *memory)
{
	struct elf_image image;
	struct link_map map;
	uintptr_t id;

	record->map_start = object->start;
	record->map_end = object->end;
	if (!copy_map(object, &map))
		return 0;
	record->bias = map.l_addr;
	path_by_map(object, &map, record->path);
	memory_expect_lasting(memory, object_stays(object));
	image = elf_image_at(memory, object->start, map.l_addr);
	describe_text(&image, address, record);
	id = describe_build_id(&image, record);
	memory_expect_lasting(memory, false);
	if (!id && !object_identity(object, &record->identity))
		record->identity = 0;
	return id ? (uint32_t)(id - object->start) : 0;
}
