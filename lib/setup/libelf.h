/*
 * libelf, loaded privately: nothing of it joins the host's symbol scope.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_LIBELF_H
#define SETUP_LIBELF_H

#include <gelf.h>
#include <libelf.h>

#define LIBELF_FUNCTIONS(X)                                                    \
	X(elf_begin)                                                           \
	X(elf_end)                                                             \
	X(elf_getdata)                                                         \
	X(elf_getscn)                                                          \
	X(elf_getshdrstrndx)                                                   \
	X(elf_memory)                                                          \
	X(elf_nextscn)                                                         \
	X(elf_strptr)                                                          \
	X(elf_version)                                                         \
	X(gelf_getnote)                                                        \
	X(gelf_getshdr)                                                        \
	X(gelf_getsym)

struct libelf {
#define X(name) __typeof__(name) *name;
	LIBELF_FUNCTIONS(X)
#undef X
};

/* Loads it, where it is installed. Once. Not signal-safe: allocates. */
void libelf_load(void);

/* Its functions, or NULL where it is not loaded. Signal-safe. */
const struct libelf *libelf_functions(void);

#endif
