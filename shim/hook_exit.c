/*
 * The ends of a program that no destructor sees: _exit, to which syscall(2)
 * comes as well, and quick_exit. The results are written first. (exec:
 * hook_exec.c.)
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include <stdlib.h>

#include "setup/session.h"

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
