/*
 * libc's own functions. A program or a library may export one of the same name,
 * and then that is what the name is bound to, ours as well.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_LIBC_FUNCTION_H
#define SETUP_LIBC_FUNCTION_H

#include <stdbool.h>

/*
 * glibc's function of that name and version. NULL: it has none, or another
 * library's stands before it. Not signal-safe: dlvsym(3) takes locks.
 */
void *libc_function(const char *name, const char *version);

/*
 * Does the program find libc before this library, so that it calls none of its
 * functions? So it is where this one was loaded by dlopen(3), linked behind
 * libc, or given a libc of its own by dlmopen(3). Constructor only: to look at
 * the list of objects takes no lock.
 */
bool libc_comes_first(void);

#endif
