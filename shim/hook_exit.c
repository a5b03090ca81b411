/*
 * The ends of a program that no destructor sees: _exit, to which syscall(2)
 * comes as well, and quick_exit. The results are written first. (exec:
 * hook_exec.c.) Of an abort only the stall is told that it ends in: a program
 * whose memory is in disorder is to get to its end, and its recording stays.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include <assert.h>
#include <stdlib.h>

#include "setup/session_end.h"
#include "sigsafe/live.h"
#include "sigsafe/loops/log.h"
#include "sigsafe/loops/run.h"
#include "sigsafe/os/process.h"
#include "sigsafe/signals/quiet.h"

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

/* It may come to naught: a handler of SIGABRT may jump out of it. */
static void tell_abort(void)
{
	struct quiet before;

	/* In a vfork child it is not this program that ends. */
	if (!live_recording() || !process_memory())
		return;
	/* A tick must not find the stall half told. */
	before = quiet_begin();
	run_stops(RUN_LASTS);
	log_abort(live_recording());
	quiet_end(&before);
}

HOOK __attribute__((noreturn)) void abort(void)
{
	tell_abort();
	real.abort();
	__builtin_unreachable();
}

/* libc's own way from here to abort() is not seen. */
HOOK __attribute__((noreturn)) void __assert_fail(const char *claim,
						  const char *file,
						  unsigned line,
						  const char *function)
{
	tell_abort();
	real.__assert_fail(claim, file, line, function);
	__builtin_unreachable();
}
