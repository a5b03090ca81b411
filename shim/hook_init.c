/*
 * The shim's first and last act. Its constructor is the first of the process
 * (-z initfirst), its destructor among the last.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "hook.h"
#include "setup/session.h"

/* The last of quick_exit's functions, since it is registered first. */
static void at_quick_end(void)
{
	session_end(END_AT_ONCE, 0);
}

__attribute__((constructor)) static void start(void)
{
	real_find();
	session_start();
	at_quick_exit(at_quick_end);
}

__attribute__((destructor)) static void end(void)
{
	session_end(END_EXIT, 0);
}
