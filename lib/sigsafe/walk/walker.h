/*
 * The walker: the one place where libunwind runs. Owns the lock that makes
 * walks take turns, and the stack they run on, so that a host's stack may be
 * as small as it likes.
 *
 * The lock guards libunwind and this stack for the length of a walk (some
 * microseconds), with all signals blocked; nothing nests inside of it. It is
 * only ever tried for, so it can't deadlock: where it can't be had, the walk is
 * left out and counted.
 *
 * A fork would leave a walk of another thread half done in the child. So it
 * waits for the walk under way, and keeps new ones out until it is done; but
 * the forking thread may walk, as its fork may be what stalls it. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WALK_WALKER_H
#define SIGSAFE_WALK_WALKER_H

#include "base/format.h"

/* Makes the stack. Called once, at the start. 0 or -errno. */
int walker_start(void);

/* An unreadable page, once the stack is made. */
const void *walker_guard_page(void);

/*
 * Calls work(argument) as the walker. False: it was not called, and *why says
 * so (LOST_WALK_...). in_handler: all signals are blocked already. errno is
 * left alone if work leaves it alone.
 */
bool walker_run(void (*work)(void *), void *argument, bool in_handler,
		enum lost_reason *why);

/* pthread_atfork(3)'s three. The last also where a fork told nobody. */
void walker_before_fork(void);
void walker_after_fork_in_parent(void);
void walker_after_fork_in_child(void);

#endif
