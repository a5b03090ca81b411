/*
 * Memory for libelf: while names are read it takes none of the host's, see
 * setup/own_memory.h. Otherwise, and in every other thread, it does as before:
 * the program may use the same copy.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_LIBELF_MEMORY_H
#define SETUP_LIBELF_MEMORY_H

#include <stdbool.h>

/*
 * What libelf is to call in place of the function of this name, if that
 * allocates or releases, else NULL.
 */
void *libelf_memory_function(const char *name);

/* Were all that it can't do without asked for? */
bool libelf_memory_is_complete(void);

/*
 * From here on the calling thread's libelf takes memory of our own; at the end
 * that is released, whatever has not been freed. One thread at a time.
 * Signal-safe.
 */
void libelf_memory_begin(void);
void libelf_memory_end(void);

#endif
