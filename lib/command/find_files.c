/*
 * Files by prefix. The recording stands for the texts beside it, as it holds
 * more than they do.
 *
 * SPDX-License-Identifier: MIT
 */
#include "command/find_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"

/* name, with what glob(3) would take for patterns escaped, and behind. */
static char *pattern_of(const char *name, const char *behind)
{
	size_t size = 2 * strlen(name) + strlen(behind) + 1;
	char *pattern = calloc(size, 1);
	char *to = pattern;

	if (!pattern)
		abort();
	for (; *name; name++) {
		if (strchr("*?[]\\", *name))
			*to++ = '\\';
		*to++ = *name;
	}
	memcpy(to, behind, strlen(behind));
	return pattern;
}

struct found_files find_files(const char *name)
{
	static const char *const behind[] = { "", ".rec", ".*.txt", "*.rec" };
	struct found_files files = { .count = 0 };

	for (size_t i = 0; i < ARRAY_SIZE(behind); i++) {
		char *pattern = pattern_of(name, behind[i]);
		int missing = glob(pattern, 0, NULL, &files.glob);

		free(pattern);
		if (missing)
			continue;
		files.paths = files.glob.gl_pathv;
		files.count = files.glob.gl_pathc;
		break;
	}
	return files;
}

void found_files_free(struct found_files *files)
{
	globfree(&files->glob);
}
