/*
 * The file of the program, and the folder that it was started in. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_OS_PROGRAM_FILE_H
#define SIGSAFE_OS_PROGRAM_FILE_H

#include "base/format.h"

/* Its absolute path, in PATH_BYTES; "": unknown. */
const char *program_file_path(void);

/* Its inode number; 0: unknown. */
uint64_t program_file_inode(void);

/* Puts the folder in front of a name that begins there. */
void program_file_make_absolute(char path[PATH_BYTES]);

/* Called once, at the start; start: of its mappings, or 0: unknown. */
void program_file_note(uintptr_t start);

#endif
