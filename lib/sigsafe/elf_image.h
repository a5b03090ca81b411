/*
 * An ELF object as it lies in memory, read from its own headers. The object is
 * loaded and stays so: some frame of the stack executes in it. Signal-safe.
 *
 * Headers are read only in the object's first page, which is there as long as
 * the object is. (Linkers put them there; an object that was edited to have
 * them elsewhere has no segments and no build-id for us.)
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_ELF_IMAGE_H
#define SIGSAFE_ELF_IMAGE_H

#include <link.h>

#include "base/units.h"

struct elf_image {
	const uint8_t *start; /* of its mappings */
	const Elf64_Phdr *segment;
	unsigned segments; /* 0: headers not found */
	uintptr_t bias;	   /* run-time address - address in the file's terms */
};

struct elf_image elf_image_at(const void *start, uintptr_t bias);

/*
 * The PT_LOAD segment that holds address and has these flags (PF_X), or NULL.
 */
const Elf64_Phdr *elf_image_segment(const struct elf_image *image,
				    uintptr_t address, uint32_t flags);

/* The first PT_LOAD segment with these flags, or NULL. */
const Elf64_Phdr *elf_image_first(const struct elf_image *image,
				  uint32_t flags);

/* The build-id if it lies in the first page, and its length; or NULL. */
const uint8_t *elf_image_build_id(const struct elf_image *image,
				  uint32_t *bytes);

#endif
