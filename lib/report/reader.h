/*
 * The reader of recordings: a private copy of the file, checked, so that
 * whoever looks at it need not check again.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_READER_H
#define REPORT_READER_H

#include "base/format.h"

/*
 * A recording in which every section lies in the file, every string ends, and
 * every valid record refers to what is there.
 */
struct reading {
	struct recording *recording;
	uint64_t damaged; /* records left out because they did not fit */
};

/*
 * Reads the regular file open at fd. False, with one clause that says why in
 * fault, where it is no recording. Pairs with reading_close(). Not
 * signal-safe: allocates.
 */
bool reading_open(struct reading *reading, int fd, char *fault, size_t size);

void reading_close(struct reading *reading);

#endif
