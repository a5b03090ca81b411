/*
 * libelf: loaded and looked up, just before main. At the program's end it would
 * be too late: dlopen takes the loader's lock, which another thread may hold
 * for ever, and which a fork copies as it is.
 *
 * At the end it outlives libraries whose functions stand in front of libc's:
 * libfaketime's fstat() is called after its destructor, and crashes. So what
 * libelf does with files it does by libc's own functions, and what it takes of
 * memory by ours: the host's allocator may be over, or locked for ever.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/libelf.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "setup/import_slots.h"
#include "setup/libelf_memory.h"

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

/* libc's handle, while slots are re-pointed; NULL: files are not our own. */
static void *libc;

static void *own_file_function(const char *name)
{
	static const char *const imports[] = { "close", "fcntl",  "fstat",
					       "mmap",	"munmap", "pread" };

	for (size_t i = 0; libc && i < ARRAY_SIZE(imports); i++)
		if (!strcmp(imports[i], name))
			return dlsym(libc, name);
	return NULL;
}

static int repoint_slot(const struct import_slot *slot)
{
	void *own = libelf_memory_function(slot->name);

	if (!own)
		own = own_file_function(slot->name);
	if (own)
		*slot->at = own;
	return 0;
}

/* A copy that the program itself uses does with files as it did before. */
static bool repoint(void *handle, bool is_alone)
{
	struct link_map *library;
	bool done;

	if (dlinfo(handle, RTLD_DI_LINKMAP, &library))
		return false;
	if (is_alone) {
		libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
		if (!libc)
			return false;
	}
	done = !import_slots_rewrite(library, repoint_slot) &&
	       libelf_memory_is_complete();
	if (libc)
		dlclose(libc);
	return done;
}

void libelf_load(void)
{
	const int how = RTLD_LOCAL | RTLD_NOW | RTLD_NODELETE;
	bool is_alone = !dlopen("libelf.so.1", how | RTLD_NOLOAD);
	void *handle = dlopen("libelf.so.1", how);

	is_loaded = handle && look_up(handle) && repoint(handle, is_alone);
}

const struct libelf *libelf_functions(void)
{
	return is_loaded ? &functions : NULL;
}
