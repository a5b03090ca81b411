/*
 * The recording's file cut short by somebody else: each touch of a page that is
 * no more is a SIGBUS, which would kill the host. Memory of no file is put in
 * the recording's place then, once, and nothing more is recorded: it is frozen.
 *
 * A limit: a thread that blocks SIGBUS, or runs a handler of the host's that
 * does, is killed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOST_FILE_H
#define SIGSAFE_LOST_FILE_H

#include <signal.h>

#include "base/format.h"

/*
 * The recording that is mapped now; its header is kept. says: called, once a
 * recording, after it was lost; signal-safe. By whoever starts the recording.
 */
void lost_file_prepare(const struct recording *rec, void (*says)(void));

/*
 * Handler only: is this SIGBUS ours? Then what it was for can be done again, on
 * other memory.
 */
bool lost_file_replace(const siginfo_t *info);

#endif
