/*
 * Whether a process is still there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_ALIVE_H
#define REPORT_ALIVE_H

#include "base/format.h"

/* Is pid a process of this name, and host this host? Not signal-safe. */
bool is_alive(int pid, const char *comm, const char *host);

/* What its thread is called now; "" where that has ended. Not signal-safe. */
void alive_thread_name(int pid, int tid, char name[NAME_BYTES + 1]);

#endif
