/*
 * The shim's first and last act. Its constructor is the first of the process
 * (-z initfirst), its destructor among the last.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include <sys/auxv.h>

#include "setup/libc_function.h"
#include "setup/say.h"
#include "setup/seccomp.h"
#include "setup/session.h"
#include "setup/session_end.h"
#include "sigsafe/os/memory.h"

/* Weak: where it is missing libc is another one, and we do nothing. */
extern const char *gnu_get_libc_version(void) __attribute__((weak));

/* By a filter that the program has inherited. */
static bool is_let_work(void)
{
	enum seccomp_allows allows = seccomp_allows_us();

	if (allows == SECCOMP_ALLOWS_A_LINE ||
	    allows == SECCOMP_ALLOWS_NO_CHILD) {
		say_start();
		say(allows == SECCOMP_ALLOWS_A_LINE
			    ? "a seccomp filter kills for calls that are "
			      "needed: nothing is watched"
			    : "what a seccomp filter allows cannot be tried, "
			      "as no child can be made: nothing is watched");
	}
	return allows == SECCOMP_ALLOWS_ALL;
}

/* Before libc's own start, so environ is not set yet. */
__attribute__((constructor)) static void start(int argc, char **argv,
					       char **environment)
{
	(void)argc;
	(void)argv;
	real_find();
	liburing_find();
	/* Who may do more than who starts it is not for that one to watch. */
	if (!gnu_get_libc_version || getauxval(AT_SECURE))
		return;
	if (libc_comes_first()) {
		say_start();
		say("loaded, but not by LD_PRELOAD: nothing is watched");
		return;
	}
	if (getauxval(AT_PAGESZ) != PAGE_BYTES) {
		say_start();
		say("this system's pages are not of 4 KiB: nothing is watched");
		return;
	}
	if (!is_let_work())
		return;
	session_start(environment, real.sigaction);
}

/*
 * What calls main. By now libc and every library has been started, so that one
 * more may be loaded: earlier, that would start libc with no environment. The
 * call is the last act, so the frame is gone when main runs.
 */
HOOK_OF_NOW(libc_start_main_new, __libc_start_main, VERSION_START_MAIN);
HOOK_OF_BEFORE(libc_start_main_old, __libc_start_main, VERSION_FIRST);
HOOK int libc_start_main_new START_MAIN_PARAMETERS;
HOOK int libc_start_main_old START_MAIN_PARAMETERS;

int libc_start_main_new START_MAIN_PARAMETERS
{
	session_start_walks();
	return real.libc_start_main_new START_MAIN_ARGUMENTS;
}

int libc_start_main_old START_MAIN_PARAMETERS
{
	session_start_walks();
	return real.libc_start_main_old START_MAIN_ARGUMENTS;
}

__attribute__((destructor)) static void end(void)
{
	session_end(END_EXIT, STATUS_UNKNOWN);
}
