/*
 * libelf: loaded, looked up, unloaded. Owns the handle.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/libelf.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

/* Written by libelf_open() and libelf_close(), in the thread that exits. */
static void *handle;
static struct libelf functions;

static bool look_up(void)
{
#define X(name)                                                                \
	functions.name = (__typeof__(functions.name))dlsym(handle, #name);     \
	if (!functions.name)                                                   \
		return false;
	LIBELF_FUNCTIONS(X)
#undef X
	return functions.elf_version(EV_CURRENT) != EV_NONE;
}

const struct libelf *libelf_open(void)
{
	handle = dlopen("libelf.so.1", RTLD_LOCAL | RTLD_NOW);
	if (!handle)
		return NULL;
	if (look_up())
		return &functions;
	libelf_close();
	return NULL;
}

void libelf_close(void)
{
	if (handle)
		dlclose(handle);
	handle = NULL;
}
