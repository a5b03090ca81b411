/*
 * The preload: the library beside the command or in the lib folder next to
 * its bin folder, put in front of LD_PRELOAD.
 *
 * SPDX-License-Identifier: MIT
 */
#include "command/preload.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/target.h"

/* As built, and as installed: by make install, and by a Debian package. */
static const char *const places[] = {
	"libstallshim.so",
	"../lib/libstallshim.so",
	"../lib/" TARGET_MULTIARCH "/libstallshim.so",
	"../lib64/libstallshim.so",
};

/* Writes the folder of this executable, with its slash. */
static bool find_folder(char *folder)
{
	char *slash;

	if (!realpath("/proc/self/exe", folder))
		return false;
	slash = strrchr(folder, '/');
	slash[1] = '\0';
	return true;
}

/* path has room for PATH_MAX bytes. */
static bool find_library(char *path)
{
	char folder[PATH_MAX];
	char candidate[PATH_MAX + 64];

	if (!find_folder(folder))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		snprintf(candidate, sizeof(candidate), "%s%s", folder,
			 places[i]);
		if (!access(candidate, R_OK) && realpath(candidate, path))
			return true;
	}
	return false;
}

/* Is path one of the elements of an LD_PRELOAD? */
static bool is_listed(const char *list, const char *path)
{
	size_t length = strlen(path);

	while (*list) {
		size_t element = strcspn(list, " :");

		if (element == length && !memcmp(list, path, length))
			return true;
		list += element;
		list += strspn(list, " :");
	}
	return false;
}

/* Is it set now? */
static bool put_in_front(const char *path)
{
	const char *old = getenv("LD_PRELOAD");
	char *value;
	bool done;

	if (!old || !*old)
		return !setenv("LD_PRELOAD", path, 1);
	if (is_listed(old, path))
		return true;
	if (asprintf(&value, "%s:%s", path, old) < 0)
		return false;
	done = !setenv("LD_PRELOAD", value, 1);
	free(value);
	return done;
}

bool preload_set(char *fault, size_t size)
{
	char path[PATH_MAX];

	if (!find_library(path)) {
		snprintf(fault, size,
			 "libstallshim.so is neither beside this "
			 "command nor in ../lib");
		return false;
	}
	if (strpbrk(path, " :")) {
		snprintf(fault, size,
			 "%s can't be preloaded: LD_PRELOAD takes spaces and "
			 "colons for separators; install it in another folder",
			 path);
		return false;
	}
	if (!put_in_front(path)) {
		snprintf(fault, size, "LD_PRELOAD can't be set: %s",
			 strerror(errno));
		return false;
	}
	return true;
}
