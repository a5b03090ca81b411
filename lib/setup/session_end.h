/*
 * The end of the session: its results are written. The caller's stack may have
 * little left, as a coroutine's of one page: so they are written on another
 * one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_SESSION_END_H
#define SETUP_SESSION_END_H

#include "base/format.h"
#include "base/options.h"

/* of_session: kept. Constructor. */
void session_end_start(const struct options *of_session);

/*
 * Writes the results: with names where how is END_EXIT and there is memory,
 * else raw. Signal-safe. Does nothing in a vfork child (it shares our memory,
 * but is not us), when there is no session, and the second time.
 */
void session_end(enum recording_end how, int detail);

/*
 * exit() was called. If another thread called it before, waits for the results
 * to be written, not for long. Signal-safe.
 */
void session_exit_begins(void);

/*
 * An exec is about to be tried: writes the results as session_end() does. True:
 * if it fails, session_exec_failed() must follow, and it all goes on, unless
 * another thread has ended the program meanwhile. Signal-safe.
 */
bool session_exec_begins(void);
void session_exec_failed(void);

#endif
