/*
 * What to call the program's own file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/os/program_name.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text_map.h"
#include "sigsafe/os/program_file.h"
#include "sigsafe/os/sys.h"

/* "": it is called as its file is. Written at the start alone. */
static char name[NAME_BYTES];

static bool stat_path(const char *path, struct stat *st)
{
	return !sys4(SYS_newfstatat, AT_FDCWD, path, st, 0);
}

/* The path of a file called comm in the folder of path. False: too long. */
static bool put_beside(char beside[PATH_BYTES], const char *path,
		       const char *comm)
{
	const char *slash = strrchr(path, '/');
	size_t folder = slash ? (size_t)(slash + 1 - path) : 0;
	size_t length = strnlen(comm, NAME_BYTES);

	if (!folder || folder + length >= PATH_BYTES)
		return false;
	memcpy(beside, path, folder);
	memcpy(beside + folder, comm, length);
	beside[folder + length] = '\0';
	return true;
}

void program_name_note(const char comm[NAME_BYTES])
{
	const char *path = program_file_path();
	char beside[PATH_BYTES];
	struct stat file, link;

	name[0] = '\0';
	if (put_beside(beside, path, comm) && stat_path(path, &file) &&
	    stat_path(beside, &link) && file.st_dev == link.st_dev &&
	    file.st_ino == link.st_ino)
		memcpy(name, comm, strnlen(comm, NAME_BYTES - 1));
}

const char *program_name_of(const struct module_record *module)
{
	if (*name && !strcmp(module->path, program_file_path()))
		return name;
	return module_name(module);
}
