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
 * The recording or text of this name; or NAME.rec and those of later runs,
 * NAME.1.rec and so on; or the texts NAME.*.txt; or every recording whose name
 * begins with NAME; or whatever else is there. Pairs with found_files_free().
 */
struct found_files find_files(const char *name);

void found_files_free(struct found_files *files);

#endif
