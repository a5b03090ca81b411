/*
 * The recording's file: made, allocated and mapped at once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_RECORDING_H
#define SETUP_RECORDING_H

#include "base/format.h"

/* The file, to know it again. */
struct recording_file {
	uint64_t device;
	uint64_t inode;
};

/*
 * Makes the file at path, never over one that is there, allocates it whole and
 * maps it; its descriptor is closed again. The sections are laid out, the rest
 * is zero. Returns 0 or -errno (-EEXIST: try another path; -EFBIG: over
 * RLIMIT_FSIZE). Signal-safe: raw system calls only.
 */
int recording_make(const char *path, uint64_t bytes, struct recording **made,
		   struct recording_file *file);

/*
 * The same for rec, of so many bytes, whose file has been removed: a new one
 * takes its place in memory, with all that is in it. What others write to it
 * meanwhile may be lost. Returns 0 or -errno. Signal-safe.
 */
int recording_make_again(const char *path, uint64_t bytes,
			 const struct recording *rec,
			 struct recording_file *file);

/*
 * Removes path if it is still that file. It stays mapped: other threads may be
 * writing. Signal-safe.
 */
void recording_remove(const char *path, const struct recording_file *file);

#endif
