/*
 * Edited copies of a small library, for unit tests to load.
 *
 * SPDX-License-Identifier: MIT
 */
#include "library_fixture.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Linked by nothing else here. */
#define LIBRARY	  "libnss_hesiod.so.2"
#define MAX_BYTES (1u << 20)

/*
 * Where the loader finds it. It stays loaded: a copy has the same name in it,
 * and could be taken for it.
 */
static void find_library(char path[PATH_MAX])
{
	void *handle = dlopen(LIBRARY, RTLD_NOW);
	struct link_map *map;

	cr_assert_not_null(handle);
	cr_assert_eq(dlinfo(handle, RTLD_DI_LINKMAP, &map), 0);
	snprintf(path, PATH_MAX, "%s", map->l_name);
}

void fixture_copy_library(const char *path, fixture_edit *edit)
{
	char *image = malloc(MAX_BYTES);
	char original[PATH_MAX];
	ssize_t bytes;
	int fd;

	find_library(original);
	fd = open(original, O_RDONLY);
	bytes = read(fd, image, MAX_BYTES);
	cr_assert(bytes > 0 && bytes < (ssize_t)MAX_BYTES);
	close(fd);
	if (edit)
		edit((Elf64_Ehdr *)(void *)image);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0700);
	cr_assert_eq(write(fd, image, (size_t)bytes), bytes);
	close(fd);
	free(image);
}

void fixture_make_library(char path[FIXTURE_PATH_BYTES], fixture_edit *edit)
{
	int fd;

	strcpy(path, "/tmp/stallshim.XXXXXX");
	fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	close(fd);
	fixture_copy_library(path, edit);
}

void *fixture_load_library(fixture_edit *edit)
{
	char path[FIXTURE_PATH_BYTES];
	void *handle;

	fixture_make_library(path, edit);
	handle = dlopen(path, RTLD_NOW);
	unlink(path);
	cr_assert_not_null(handle, "%s", dlerror());
	return handle;
}

uintptr_t fixture_text_of(void *handle)
{
	struct link_map *map;
	Elf64_Phdr *header;
	Elf64_Ehdr *image;

	cr_assert_eq(dlinfo(handle, RTLD_DI_LINKMAP, &map), 0);
	image = (Elf64_Ehdr *)map->l_addr;
	header = (void *)((char *)image + image->e_phoff);
	while (header->p_type != PT_LOAD || !(header->p_flags & PF_X))
		header++;
	return map->l_addr + header->p_vaddr + header->p_memsz / 2;
}

Elf64_Phdr *fixture_header(Elf64_Ehdr *image, uint32_t type)
{
	Elf64_Phdr *header = (void *)((char *)image + image->e_phoff);

	for (unsigned i = 0; i < image->e_phnum; i++)
		if (header[i].p_type == type)
			return &header[i];
	cr_assert_fail("no program header of type %u", type);
	return NULL;
}
