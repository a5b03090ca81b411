/*
 * Edited copies of a small library, for unit tests to load.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LIBRARY_FIXTURE_H
#define LIBRARY_FIXTURE_H

#include <link.h>

/* Changes the file's image before it is loaded. */
typedef void fixture_edit(Elf64_Ehdr *image);

/* Writes a copy to path. edit may be NULL. */
void fixture_copy_library(const char *path, fixture_edit *edit);

/* The same, to a new file whose path it returns. */
#define FIXTURE_PATH_BYTES 32

void fixture_make_library(char path[FIXTURE_PATH_BYTES], fixture_edit *edit);

/* Loads such a copy, whose file is gone again. Returns dlopen's handle. */
void *fixture_load_library(fixture_edit *edit);

/* An address in the text of the library behind dlopen's handle. */
uintptr_t fixture_text_of(void *handle);

/* The first program header of this type. */
Elf64_Phdr *fixture_header(Elf64_Ehdr *image, uint32_t type);

#endif
