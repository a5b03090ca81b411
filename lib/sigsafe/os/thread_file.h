/*
 * What /proc tells of each thread of this process (proc(5)).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_OS_THREAD_FILE_H
#define SIGSAFE_OS_THREAD_FILE_H

#include <stdint.h>

/*
 * Opens such a file of thread tid, for reading: "/comm". A descriptor, which
 * the caller closes, or -errno. Signal-safe.
 */
long thread_file_open(int32_t tid, const char *file);

#endif
