/*
 * libunwind, loaded privately and tamed: no lock of the program, no descriptor,
 * no allocation, no system call but to ask whether memory can be read.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_LIBUNWIND_H
#define SETUP_LIBUNWIND_H

/*
 * Makes walk_unwind() ready. NULL, or a clause that says why it can't be. Not
 * signal-safe: allocates.
 */
const char *libunwind_load(void);

#endif
