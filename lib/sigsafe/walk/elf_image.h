/*
 * An ELF object as it lies in memory, read from its own headers, as far as
 * these can be read: it may be unloaded meanwhile. Signal-safe.
 *
 * Headers are read only in the object's first page. (Linkers put them there; an
 * object that was edited to have them elsewhere has no segments and no build-id
 * for us.) Notes are read wherever they are mapped: editors of objects put them
 * into segments of their own.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WALK_ELF_IMAGE_H
#define SIGSAFE_WALK_ELF_IMAGE_H

#include <link.h>

#include "sigsafe/os/memory.h"

struct elf_image {
	struct memory *memory;
	uintptr_t bias;	   /* run-time address - address in the file's terms */
	uintptr_t headers; /* of its segments: Elf64_Phdr[] */
	unsigned segments; /* 0: headers not found */
};

/* memory: used by all that is asked of the image. */
struct elf_image elf_image_at(struct memory *memory, uintptr_t start,
			      uintptr_t bias);

/* The PT_LOAD segment that holds address and has these flags (PF_X). */
bool elf_image_load_segment(const struct elf_image *image, uintptr_t address,
			    uint32_t flags, Elf64_Phdr *found);

/* The first executable segment, but for the one at this address in the file's
 * terms. */
bool elf_image_text(const struct elf_image *image, uint64_t but,
		    Elf64_Phdr *found);

#define ELF_IMAGE_NO_TEXT UINT64_MAX

/* The first segment of this type. */
bool elf_image_segment(const struct elf_image *image, uint32_t type,
		       Elf64_Phdr *found);

/* Where its build-id lies, and its length; or 0. */
uintptr_t elf_image_build_id(const struct elf_image *image, uint32_t *bytes);

#endif
