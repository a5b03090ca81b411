/*
 * libc's own functions. A program or a library may export one of the same name,
 * and then that is what the name is bound to, ours as well.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_LIBC_FUNCTION_H
#define SETUP_LIBC_FUNCTION_H

/*
 * glibc's function of that name and version. NULL: it has none, or another
 * library's stands before it. Not signal-safe: dlvsym(3) takes locks.
 */
void *libc_function(const char *name, const char *version);

#endif
