/*
 * Files by their own name, or by the prefix of a process's files.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef COMMAND_FIND_FILES_H
#define COMMAND_FIND_FILES_H

#include <glob.h>
#include <stddef.h>

struct found_files {
	char **paths;
	size_t count;
	glob_t glob;
};

/*
 * The file of this name; or NAME.rec; or the texts NAME.*.txt; or every
 * recording whose name begins with NAME. Pairs with found_files_free().
 */
struct found_files find_files(const char *name);

void found_files_free(struct found_files *files);

#endif
