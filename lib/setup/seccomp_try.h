/*
 * What a program asks for of seccomp, tried before it is given.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_SECCOMP_TRY_H
#define SETUP_SECCOMP_TRY_H

#include <stdbool.h>

/*
 * Will the kernel refuse this system call, prctl(2) or seccomp(2) with its
 * first three arguments, by which the program is about to be shut in? False
 * where that can't be told. Signal-safe.
 */
bool seccomp_is_refused(long number, const long *arguments);

#endif
