/*
 * The session: from the moment this process starts to be watched to its last
 * word. Owns the recording's file and the texts.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_SESSION_H
#define SETUP_SESSION_H

#include "base/format.h"
#include "sigsafe/signals/host_signal.h"

/*
 * Reads the environment and starts. libcs: libc's sigaction(2). Not
 * signal-safe: constructor only.
 */
void session_start(char **environment, sigaction_function *libcs);

/*
 * Makes whole stacks and names possible: loads the unwinder and libelf, so not
 * before libc and all libraries have started. Not signal-safe: just before
 * main, once.
 */
void session_start_walks(void);

/*
 * Starts afresh where live_recording() is NULL because this process is a fork
 * of a watched one; does nothing where it is NULL for another reason. Returns
 * the recording or NULL. Signal-safe: raw system calls only.
 */
struct recording *session_start_in_child(void);

/*
 * Is this process watched, or will be from its first event on, as a forked
 * child is? A guest is not. Signal-safe.
 */
bool session_is_on(void);

/*
 * Where it is on: from now on nothing of this process is watched, nor of what
 * it forks, and no system call is made of our own: the program is about to
 * forbid them (by seccomp, or a handler that they are given to), which may kill
 * for them. The results are written first. Signal-safe.
 */
void session_leave(void);

#endif
