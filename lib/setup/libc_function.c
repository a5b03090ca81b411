/*
 * libc's own functions: found behind the program's, and checked.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/libc_function.h"

#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <link.h>
#include <string.h>

#include "sigsafe/os/memory.h"
#include "sigsafe/walk/elf_image.h"

/* Weak: other libcs lack them. */
#pragma weak dlvsym
#pragma weak _r_debug

static bool is_libc(const struct link_map *object)
{
	const char *slash = strrchr(object->l_name, '/');

	return slash && strcmp(slash + 1, LIBC_SO) == 0;
}

bool libc_comes_first(void)
{
	const struct link_map *object = &_r_debug ? _r_debug.r_map : NULL;

	/* In the order in which names are looked up in them. */
	for (; object && object->l_ld != _DYNAMIC; object = object->l_next)
		if (is_libc(object))
			return true;
	return false;
}

/* libc is linked for address 0, so it lies where it is moved to. */
static bool has_code_at(const struct link_map *object, uintptr_t address)
{
	struct elf_image image;
	struct memory memory;
	Elf64_Phdr code;

	memory_begin(&memory, &object);
	image = elf_image_at(&memory, object->l_addr, object->l_addr);
	return elf_image_load_segment(&image, address, PF_X, &code);
}

static bool is_in_libc(uintptr_t address)
{
	for (const struct link_map *object = _r_debug.r_map; object;
	     object = object->l_next)
		if (is_libc(object))
			return has_code_at(object, address);
	return false;
}

void *libc_function(const char *name, const char *version)
{
	void *found;

	if (!dlvsym || !&_r_debug)
		return NULL;
	found = dlvsym(RTLD_NEXT, name, version);
	return found && is_in_libc((uintptr_t)found) ? found : NULL;
}
