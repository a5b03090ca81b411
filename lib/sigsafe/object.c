/*
 * A loaded object: found, named and described.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/object.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "sigsafe/elf_image.h"
#include "sigsafe/memory.h"
#include "sigsafe/sys.h"

#pragma weak _dl_find_object

/* What glibc calls the kernel's object. */
#define VDSO_NAME "linux-vdso.so.1"

/* Written by object_note_program(), in the constructor. */
static char program_path[PATH_BYTES];
static char start_directory[PATH_BYTES];
static uintptr_t program_start, program_end; /* without its bias */

bool object_can_be_found(void)
{
	return _dl_find_object != NULL;
}

bool object_find(uintptr_t address, struct object *object)
{
	struct dl_find_object found;

	if (!object_can_be_found() ||
	    _dl_find_object((void *)address, &found) != 0)
		return false;
	*object = (struct object){
		.start = (uintptr_t)found.dlfo_map_start,
		.end = (uintptr_t)found.dlfo_map_end,
		.bias = found.dlfo_link_map->l_addr,
		.name = found.dlfo_link_map->l_name,
		.unwind_table = found.dlfo_eh_frame,
	};
	/* libc takes parts with a gap between for objects of their own. */
	if (!*object->name && program_end) {
		object->start = object->bias + program_start;
		object->end = object->bias + program_end;
	}
	return true;
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

void object_note_program(void)
{
	note_extent();
	/* Both stay "" on failure, and one byte of each stays 0. */
	sys4(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", program_path,
	     PATH_BYTES - 1);
	if (sys2(SYS_getcwd, start_directory, PATH_BYTES) < 0)
		start_directory[0] = '\0';
}

/* Appends what there is room for. Returns the new length. */
static size_t append(char path[PATH_BYTES], size_t length, const char *part)
{
	size_t bytes = strnlen(part, PATH_BYTES - 1 - length);

	memcpy(path + length, part, bytes);
	path[length + bytes] = '\0';
	return length + bytes;
}

void object_path(const struct object *object, char path[PATH_BYTES])
{
	const char *name = object->name;
	size_t length = 0;

	if (!*name)
		name = program_path;
	else if (strcmp(name, VDSO_NAME) == 0)
		name = "[vdso]";
	else if (*name != '/') {
		while (strncmp(name, "./", 2) == 0)
			name += 2;
		length = append(path, length, start_directory);
		length = append(path, length, "/");
	}
	append(path, length, name);
}

static struct elf_image image_of(const struct object *object)
{
	return elf_image_at((const void *)object->start, object->bias);
}

/* In whole pages, as the kernel maps it. */
static void describe_text(const struct elf_image *image, uintptr_t address,
			  struct module_record *record)
{
	const Elf64_Phdr *text = elf_image_segment(image, address, PF_X);
	uintptr_t in_page = PAGE_BYTES - 1;
	uintptr_t start;

	/* A datum: the module still has text, which other frames are in. */
	if (!text)
		text = elf_image_first(image, PF_X);
	if (!text)
		return;
	start = image->bias + text->p_vaddr;
	record->text_start = start & ~in_page;
	record->text_end = (start + text->p_memsz + in_page) & ~in_page;
	record->text_offset = text->p_offset & ~in_page;
}

void object_describe(const struct object *object, uintptr_t address,
		     struct module_record *record)
{
	struct elf_image image = image_of(object);
	uint32_t bytes;
	const uint8_t *id = elf_image_build_id(&image, &bytes);

	record->map_start = object->start;
	record->map_end = object->end;
	record->bias = object->bias;
	describe_text(&image, address, record);
	if (id) {
		record->build_id_bytes =
			(uint32_t)min_u64(bytes, BUILD_ID_BYTES);
		memcpy(record->build_id, id, record->build_id_bytes);
	}
	object_path(object, record->path);
}

uint32_t object_build_id_offset(const struct object *object)
{
	struct elf_image image = image_of(object);
	uint32_t bytes;
	const uint8_t *id = elf_image_build_id(&image, &bytes);

	return id ? (uint32_t)(id - image.start) : 0;
}
