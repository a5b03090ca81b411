/*
 * Opens files by names that others have chosen: a program's, a recording's.
 * What is no regular file is not opened: a FIFO would keep us waiting, and a
 * device may act on it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_REGULAR_FILE_H
#define REPORT_REGULAR_FILE_H

/* For reading. -1 and errno: it can't be opened; EINVAL: it is no such file. */
int regular_file_open(const char *path);

#endif
