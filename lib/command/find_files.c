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

#include "base/format.h"
#include "report/regular_file.h"

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

/* Is it a recording or a text, and not a program or folder of that name? */
static bool is_result(const char *name)
{
	static const char *const beginnings[] = { RECORDING_MAGIC,
						  "--- contention" };
	char bytes[16] = "";
	int fd = regular_file_open(name);
	ssize_t n = fd < 0 ? 0 : read(fd, bytes, sizeof(bytes) - 1);

	if (fd >= 0)
		close(fd);
	for (size_t i = 0; i < ARRAY_SIZE(beginnings); i++)
		if (n > 0 &&
		    !strncmp(bytes, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

static void look_for(struct found_files *files, const char *name,
		     const char *behind)
{
	char *pattern = pattern_of(name, behind);
	int flags = files->count ? GLOB_APPEND : 0;

	if (!glob(pattern, flags, NULL, &files->glob)) {
		files->paths = files->glob.gl_pathv;
		files->count = files->glob.gl_pathc;
	}
	free(pattern);
}

struct found_files find_files(const char *name)
{
	static const char *const behind[] = { ".*.txt", "*.rec", "" };
	struct found_files files = { .count = 0 };

	if (is_result(name)) {
		look_for(&files, name, "");
		return files;
	}
	/* PREFIX.1.rec is of a later run than PREFIX.rec. */
	look_for(&files, name, ".rec");
	look_for(&files, name, ".[0-9]*.rec");
	for (size_t i = 0; i < ARRAY_SIZE(behind) && !files.count; i++)
		look_for(&files, name, behind[i]);
	return files;
}

void found_files_free(struct found_files *files)
{
	globfree(&files->glob);
}
