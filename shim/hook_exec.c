/*
 * exec, by which a program may end: the results are written first. One that
 * fails goes on as if nothing had been. Since to write takes milliseconds, and
 * programs are looked for in many places, a look at the file comes before that.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/units.h"
#include "setup/session_end.h"
#include "sigsafe/live.h"
#include "sigsafe/signals/host_mask.h"
#include "sigsafe/stacks/spare_stack.h"

/* Where libc looks without the variable (confstr(3), _CS_PATH). */
#define USUAL_PATH "/bin:/usr/bin"

#define ALL_MAY_EXECUTE (S_IXUSR | S_IXGRP | S_IXOTH)

/*
 * May this be executed, as far as can be seen of it? Not seen are the rights of
 * the caller, and what is in the file. One that comes into being just now, and
 * is executed, leaves its recording, but no texts.
 */
static bool may_be_executed(int directory, const char *path, int flags)
{
	struct stat st;
	long err = sys4(SYS_newfstatat, directory, path, &st,
			flags & (AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW));

	switch (err) {
	case 0:
		return S_ISREG(st.st_mode) && st.st_mode & ALL_MAY_EXECUTE;
	case -ENOENT:
	case -ENOTDIR:
	case -EACCES:
	case -ELOOP:
	case -ENAMETOOLONG:
	case -EFAULT:
	case -EBADF:
		return false;
	default:
		return true;
	}
}

/* Of PATH, as libc searches it: is there such a file in one of its folders? */
static bool is_in_path(const char *file)
{
	const char *folder = getenv("PATH"), *end;
	size_t length = strlen(file);
	char path[PATH_MAX];

	for (folder = folder ? folder : USUAL_PATH;; folder = end + 1) {
		end = strchrnul(folder, ':');
		if ((size_t)(end - folder) + length + 2 > sizeof(path))
			return true;
		memcpy(path, folder, (size_t)(end - folder));
		path[end - folder] = '/';
		/* An empty one is the working directory. */
		strcpy(path + (end - folder) + (end > folder), file);
		if (may_be_executed(AT_FDCWD, path, 0))
			return true;
		if (!*end)
			return false;
	}
}

struct search {
	const char *file;
	bool may_be_found;
};

static void search_path(void *argument)
{
	struct search *search = argument;

	search->may_be_found = is_in_path(search->file);
}

/* Where there is room for a path: the caller's stack may have little left. */
static bool may_be_found(const char *file)
{
	struct search search = { file, true };

	spare_stack_call_by_hook(NULL, search_path, &search);
	return search.may_be_found;
}

/* Is there a recording, so that a look is worth while? */
static bool may_end(int directory, const char *path, int flags)
{
	return live_recording() && may_be_executed(directory, path, flags);
}

static bool may_end_by_name(const char *file)
{
	if (!live_recording())
		return false;
	return strchr(file, '/') ? may_be_executed(AT_FDCWD, file, 0)
				 : may_be_found(file);
}

static int after_exec(kernel_sigset mask, bool has_written, int error)
{
	host_mask_take_back(mask);
	if (has_written)
		session_exec_failed();
	return error;
}

/* may: could it end the program? The next one inherits the host's mask. */
#define EXEC(may, call)                                                        \
	bool has_written = (may) && session_exec_begins();                     \
	kernel_sigset mask = host_mask_hand_on();                              \
                                                                               \
	return after_exec(mask, has_written, call)

HOOK int execve(const char *path, char *const argv[], char *const envp[])
{
	EXEC(may_end(AT_FDCWD, path, 0), real.execve(path, argv, envp));
}

HOOK int execv(const char *path, char *const argv[])
{
	EXEC(may_end(AT_FDCWD, path, 0), real.execv(path, argv));
}

HOOK int execvp(const char *file, char *const argv[])
{
	EXEC(may_end_by_name(file), real.execvp(file, argv));
}

HOOK int execvpe(const char *file, char *const argv[], char *const envp[])
{
	EXEC(may_end_by_name(file), real.execvpe(file, argv, envp));
}

HOOK int fexecve(int fd, char *const argv[], char *const envp[])
{
	EXEC(may_end(fd, "", AT_EMPTY_PATH), real.fexecve(fd, argv, envp));
}

HOOK int execveat(int fd, const char *path, char *const argv[],
		  char *const envp[], int flags)
{
	EXEC(may_end(fd, path, flags),
	     real.execveat(fd, path, argv, envp, flags));
}

/* How many arguments there are, the NULL at their end included. */
static size_t count_arguments(const char *first, va_list rest)
{
	const char *arg = first;
	va_list copy;
	size_t n = 1;

	va_copy(copy, rest);
	for (; arg; n++)
		arg = va_arg(copy, const char *);
	va_end(copy);
	return n;
}

static void copy_arguments(char **argv, size_t n, const char *first,
			   va_list rest)
{
	argv[0] = (char *)(uintptr_t)first;
	for (size_t i = 1; i < n; i++)
		argv[i] = va_arg(rest, char *);
}

HOOK int execl(const char *path, const char *first, ...)
{
	va_list rest;

	va_start(rest, first);
	char *argv[count_arguments(first, rest)];
	copy_arguments(argv, ARRAY_SIZE(argv), first, rest);
	va_end(rest);
	return execv(path, argv);
}

HOOK int execlp(const char *file, const char *first, ...)
{
	va_list rest;

	va_start(rest, first);
	char *argv[count_arguments(first, rest)];
	copy_arguments(argv, ARRAY_SIZE(argv), first, rest);
	va_end(rest);
	return execvp(file, argv);
}

HOOK int execle(const char *path, const char *first, ...)
{
	va_list rest;
	char **envp;

	va_start(rest, first);
	char *argv[count_arguments(first, rest)];
	copy_arguments(argv, ARRAY_SIZE(argv), first, rest);
	envp = va_arg(rest, char **);
	va_end(rest);
	return execve(path, argv, envp);
}
