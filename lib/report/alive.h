/*
 * Whether a process is still there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_ALIVE_H
#define REPORT_ALIVE_H

#include "base/units.h"

/* Is pid a process of this name, and host this host? Not signal-safe. */
bool is_alive(int pid, const char *comm, const char *host);

#endif
