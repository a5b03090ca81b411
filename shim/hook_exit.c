/*
 * The ends of a program that no destructor sees: _exit, quick_exit and exec.
 * The results are written first. An exec that fails goes on as if nothing had
 * been.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/units.h"
#include "setup/session.h"
#include "sigsafe/host_mask.h"

/*
 * The destructor writes the results. But where two threads exit, the second one
 * finds nothing more to do and ends the process under the first.
 */
HOOK __attribute__((noreturn)) void exit(int status)
{
	session_exit_begins();
	real.exit(status);
	__builtin_unreachable();
}

HOOK __attribute__((noreturn)) void _exit(int status)
{
	session_end(END_AT_ONCE, status);
	real._exit(status);
	__builtin_unreachable();
}

HOOK __attribute__((noreturn)) void _Exit(int status)
{
	session_end(END_AT_ONCE, status);
	real._Exit(status);
	__builtin_unreachable();
}

HOOK_OF_NOW(quick_exit_new, quick_exit, VERSION_QUICK_EXIT);
HOOK_OF_BEFORE(quick_exit_old, quick_exit, VERSION_FIRST_QUICK_EXIT);
HOOK __attribute__((noreturn)) void quick_exit_new(int status);
HOOK __attribute__((noreturn)) void quick_exit_old(int status);

void quick_exit_new(int status)
{
	session_end(END_AT_ONCE, status);
	real.quick_exit_new(status);
	__builtin_unreachable();
}

void quick_exit_old(int status)
{
	session_end(END_AT_ONCE, status);
	real.quick_exit_old(status);
	__builtin_unreachable();
}

/* The next program inherits the mask: the host's. */
static kernel_sigset before_exec(void)
{
	session_end(END_EXEC, 0);
	return host_mask_hand_on();
}

static int after_exec(kernel_sigset mask, int error)
{
	host_mask_take_back(mask);
	session_go_on();
	return error;
}

#define EXEC(call)                                                             \
	kernel_sigset mask = before_exec();                                    \
                                                                               \
	return after_exec(mask, call)

HOOK int execve(const char *path, char *const argv[], char *const envp[])
{
	EXEC(real.execve(path, argv, envp));
}

HOOK int execv(const char *path, char *const argv[])
{
	EXEC(real.execv(path, argv));
}

HOOK int execvp(const char *file, char *const argv[])
{
	EXEC(real.execvp(file, argv));
}

HOOK int execvpe(const char *file, char *const argv[], char *const envp[])
{
	EXEC(real.execvpe(file, argv, envp));
}

HOOK int fexecve(int fd, char *const argv[], char *const envp[])
{
	EXEC(real.fexecve(fd, argv, envp));
}

HOOK int execveat(int fd, const char *path, char *const argv[],
		  char *const envp[], int flags)
{
	EXEC(real.execveat(fd, path, argv, envp, flags));
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
