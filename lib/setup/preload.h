/*
 * Our place in LD_PRELOAD.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_PRELOAD_H
#define SETUP_PRELOAD_H

/*
 * Takes this library out of LD_PRELOAD in the environment, so that programs
 * started by this one are not watched. Constructor only.
 */
void preload_leave_children(char **environment);

#endif
