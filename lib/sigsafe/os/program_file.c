/*
 * The file of the program. Owns what is known of it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/os/program_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "base/identity.h"
#include "sigsafe/os/memory.h"
#include "sigsafe/os/sys.h"

/* What the kernel runs. */
#define EXECUTABLE "/proc/self/exe"

/* All written by program_file_note(), in the constructor. */
static char program_path[PATH_BYTES];
static char start_directory[PATH_BYTES];
static uint64_t program_inode;

const char *program_file_path(void)
{
	return program_path;
}

uint64_t program_file_inode(void)
{
	return program_inode;
}

/* A name that begins in the directory the program was started in. */
void program_file_make_absolute(char path[PATH_BYTES])
{
	size_t before = strlen(start_directory) + 1;
	const char *name = path;
	size_t bytes;

	while (strncmp(name, "./", 2) == 0)
		name += 2;
	if (before >= PATH_BYTES)
		return;
	bytes = min_u64(strlen(name), PATH_BYTES - 1 - before);
	memmove(path + before, name, bytes);
	memcpy(path, start_directory, before - 1);
	path[before - 1] = '/';
	path[before + bytes] = '\0';
}

/* Does the file begin as the program that is mapped at start does? */
static bool begins_as(int fd, uintptr_t start)
{
	uint64_t file[IDENTITY_WORDS], mapped[IDENTITY_WORDS];

	return sys4(SYS_pread64, fd, file, sizeof(file), 0) == sizeof(file) &&
	       memory_copy(mapped, (const void *)start, sizeof(mapped)) &&
	       memcmp(file, mapped, sizeof(file)) == 0;
}

static bool is_file_of(int fd, uintptr_t start, uint64_t *inode)
{
	struct stat file;

	if (!begins_as(fd, start) ||
	    sys4(SYS_newfstatat, fd, "", &file, AT_EMPTY_PATH))
		return false;
	*inode = file.st_ino;
	return true;
}

/*
 * Where the loader itself was started and given the program as an argument, it
 * is the file that the process runs. The loader has mapped the program and puts
 * that argument here. Without a slash it has searched for it, and another file
 * may be called so.
 */
static void take_argument(uintptr_t start)
{
	const char *name = (const char *)getauxval(AT_EXECFN);
	int fd;

	if (!name || strlen(name) >= PATH_BYTES)
		return;
	fd = (int)sys4(SYS_openat, AT_FDCWD, name,
		       O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	if (fd < 0)
		return;
	if (is_file_of(fd, start, &program_inode)) {
		memcpy(program_path, name, strlen(name) + 1);
		if (*name != '/')
			program_file_make_absolute(program_path);
	}
	sys1(SYS_close, fd);
}

static void take_executable(void)
{
	struct stat file;

	/* "" on failure; one byte stays 0. */
	sys4(SYS_readlinkat, AT_FDCWD, EXECUTABLE, program_path,
	     PATH_BYTES - 1);
	if (!sys4(SYS_newfstatat, AT_FDCWD, EXECUTABLE, &file, 0))
		program_inode = file.st_ino;
}

void program_file_note(uintptr_t start)
{
	memset(program_path, 0, sizeof(program_path));
	program_inode = 0;
	if (sys2(SYS_getcwd, start_directory, PATH_BYTES) < 0)
		start_directory[0] = '\0';
	/* The kernel has loaded no loader for the loader. */
	if (start && !getauxval(AT_BASE))
		take_argument(start);
	else
		take_executable();
}
