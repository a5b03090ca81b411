/*
 * An ELF file, open for reading. Read by system calls, not mapped: a file that
 * shrinks meanwhile must not kill the host.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_ELF_FILE_H
#define SETUP_ELF_FILE_H

#include "base/units.h"
#include "setup/libelf.h"

struct elf_file {
	const struct libelf *lib;
	Elf *elf;
	int fd; /* -1: an image in memory */
};

struct elf_debuglink {
	const char *name; /* valid while the file is open */
	uint32_t crc;	  /* of the file it names */
};

/*
 * False where there is no such file. What else is no ELF file has no sections.
 * Between libelf_memory_begin() and its end. Pairs with elf_file_close().
 */
bool elf_file_open(struct elf_file *file, const struct libelf *lib,
		   const char *path);

/* The same for an image in memory, as of the vDSO. */
bool elf_file_view(struct elf_file *file, const struct libelf *lib, void *image,
		   size_t bytes);

void elf_file_close(struct elf_file *file);

/* The next section of a type behind scn (NULL: the first), or NULL. */
Elf_Scn *elf_file_next(const struct elf_file *file, Elf_Scn *scn,
		       uint32_t type);

/* The content of a section of this name, and its address; NULL: none. */
Elf_Data *elf_file_data_of(const struct elf_file *file, const char *name,
			   uint64_t *address);

/* Is this its build-id? 0 bytes: has it none? */
bool elf_file_is(const struct elf_file *file, const uint8_t *build_id,
		 uint32_t bytes);

/*
 * Has it not been changed since then, by CLOCK_REALTIME, and is this its
 * identity (base/identity.h; 0: unknown)? Of an image both are so.
 */
bool elf_file_is_still(const struct elf_file *file, uint64_t realtime_ns,
		       uint64_t identity);

/* Where .gnu_debuglink says that its symbols went; false: nowhere. */
bool elf_file_debuglink(const struct elf_file *file,
			struct elf_debuglink *link);

#endif
