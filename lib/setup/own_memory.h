/*
 * Memory that is not the host's: its malloc() may be locked for ever when it
 * ends, by a thread that is stopped or in a child of _Fork(2), or be over.
 * Taken piece by piece from anonymous mappings, and given back at once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_OWN_MEMORY_H
#define SETUP_OWN_MEMORY_H

#include "base/units.h"

/* All zero: empty. */
struct own_memory {
	struct own_block *blocks; /* the last one that was mapped first */
	char *free;		  /* what is left of the one taken from */
	size_t free_bytes;
};

/* As calloc(3), of one byte at least; NULL: there is none. Signal-safe. */
void *own_memory_take(struct own_memory *memory, size_t count, size_t bytes);

/* All of it. Signal-safe. */
void own_memory_release(struct own_memory *memory);

#endif
