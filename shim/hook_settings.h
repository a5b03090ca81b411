/*
 * What the host has set for a descriptor, by which a call that a tick would cut
 * short does so where others of its name do not: a socket whose close(2)
 * lingers, a terminal or socket of which more than a byte is waited for, or for
 * a time, a socket whose messages bring credentials, or which gives up to
 * connect. To ask for it is a system call: so the first ones are asked for only
 * if such was ever set, and each only where ticks come.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_SETTINGS_H
#define SHIM_HOOK_SETTINGS_H

#include <stdio.h>

#include "base/atomic.h"
#include "base/calls.h"
#include "hook_transfer.h"
#include "sigsafe/loops/cold.h"

/* Set by the hooks of setsockopt(3) and tcsetattr(3), for good. */
extern bool hook_some_linger;
extern bool hook_some_want_more;

/* The call as which it is told that no tick comes; CALL_NONE: one may. */
enum blocking_call hook_call_of_close(int fd);
enum blocking_call hook_call_of_read(int fd);
enum blocking_call hook_call_of_connect(int fd);
enum blocking_call hook_call_of_receive(int fd, enum blocking_call call,
					int flags);

/* Relaxed: a thread that uses what another has set was told of it. */
static inline enum blocking_call call_of_close(int fd)
{
	cold_closes(fd);
	return likely(!load_relaxed(&hook_some_linger)) || !hook_may_tick()
		       ? CALL_NONE
		       : hook_call_of_close(fd);
}

/* Where glibc has it: negative in one of memory, and errno stays as it is. */
static inline enum blocking_call call_of_fclose(const FILE *file)
{
	return call_of_close(file->_fileno);
}

static inline enum blocking_call call_of_read(int fd)
{
	return likely(!load_relaxed(&hook_some_want_more)) || !hook_may_tick()
		       ? CALL_NONE
		       : hook_call_of_read(fd);
}

static inline enum blocking_call call_of_connect(int fd)
{
	return likely(!hook_may_tick()) ? CALL_NONE : hook_call_of_connect(fd);
}

/* Of call, that receives with these flags. */
static inline enum blocking_call call_of_receive(enum blocking_call call,
						 int fd, int flags)
{
	bool for_all = (flags & (MSG_WAITALL | MSG_DONTWAIT)) == MSG_WAITALL;

	return likely(!for_all && !load_relaxed(&hook_some_want_more)) ||
			       !hook_may_tick()
		       ? CALL_NONE
		       : hook_call_of_receive(fd, call, flags);
}

#endif
