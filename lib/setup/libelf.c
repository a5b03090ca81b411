/*
 * libelf: loaded and looked up, just before main. At the program's end it would
 * be too late: dlopen takes the loader's lock, which another thread may hold
 * for ever, and which a fork copies as it is.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/libelf.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

/* Written by libelf_load(). */
static bool is_loaded;
static struct libelf functions;

static bool look_up(void *handle)
{
#define X(name)                                                                \
	functions.name = (__typeof__(functions.name))dlsym(handle, #name);     \
	if (!functions.name)                                                   \
		return false;
	LIBELF_FUNCTIONS(X)
#undef X
	return functions.elf_version(EV_CURRENT) != EV_NONE;
}

void libelf_load(void)
{
	void *handle =
		dlopen("libelf.so.1", RTLD_LOCAL | RTLD_NOW | RTLD_NODELETE);

	is_loaded = handle && look_up(handle);
}

const struct libelf *libelf_functions(void)
{
	return is_loaded ? &functions : NULL;
}
