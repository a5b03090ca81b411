/*
 * The names of other threads, as the kernel has them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_OS_THREAD_NAME_H
#define SIGSAFE_OS_THREAD_NAME_H

#include "base/records.h"

/*
 * The name of thread tid of this process; "" where the kernel does not tell:
 * it has ended, or there is no /proc or no descriptor left. Opens and closes a
 * file: only for what is slow already. Signal-safe.
 */
void thread_name_of(int32_t tid, char name[NAME_BYTES]);

#endif
