/*
 * What tells a file without a build-id from the others that come to have its
 * name: a hash of its inode number and of its first bytes, which say how long
 * each part of it is. The same for the file and for what is mapped of it.
 *
 * A rename of a folder changes no time of the files in it, and a file system
 * gives the number of a deleted file to the next one: so neither its times nor
 * its number would do alone. Device numbers are left out: some file systems
 * have others each time they are mounted. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_IDENTITY_H
#define BASE_IDENTITY_H

#include <link.h>

#include "base/hash.h"

/* The header of the file and those of its first segments, as linkers lay it. */
#define IDENTITY_WORDS ((sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Phdr)) / 8)

/* Never 0, which stands for unknown. first: as the file begins. */
static inline uint64_t identity_of(uint64_t inode,
				   const uint64_t first[IDENTITY_WORDS])
{
	uint64_t hash = hash_mix(inode);

	for (size_t i = 0; i < IDENTITY_WORDS; i++)
		hash = hash_add(hash, first[i]);
	return hash ? hash : 1;
}

#endif
