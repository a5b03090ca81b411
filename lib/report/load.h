/*
 * Loading: from files of either kind to processes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_LOAD_H
#define REPORT_LOAD_H

#include "report/process.h"

/* Starts zeroed. Pairs with processes_free(). */
struct processes {
	struct process **list;
	size_t count;
};

/*
 * Reads the file at path, a recording or a text by what it begins with. A text
 * completes the process of its siblings; anything else is a process of its
 * own. False, with one clause that says why in fault. Not signal-safe:
 * allocates.
 */
bool processes_load(struct processes *processes, const char *path, char *fault,
		    size_t size);

void processes_free(struct processes *processes);

#endif
