/*
 * LD_PRELOAD, and our place in it. Reads the environment that it is given: libc
 * has none yet when the constructor runs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_PRELOAD_H
#define SETUP_PRELOAD_H

#include <stdbool.h>

/* Is there a library with that in its path? */
bool preload_has(char **environment, const char *part);

/*
 * Takes this library out of LD_PRELOAD in the environment, so that programs
 * started by this one are not watched. Constructor only.
 */
void preload_leave_children(char **environment);

#endif
