/*
 * The unwinder's start: libunwind, loaded privately and tamed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_UNWINDER_H
#define SETUP_UNWINDER_H

#include "base/options.h"

/*
 * From now on a stack is its first frame. For the constructor: it needs nothing
 * of libc, not even the environment.
 */
void unwinder_prepare(char **environment, unsigned depth);

/*
 * From now on stacks are whole: depth frames at most (1 to MAX_DEPTH). NULL,
 * or one clause that says why stacks will be worse than asked for ("libunwind
 * can't be loaded ..., so stacks follow frame pointers only"). After
 * unwinder_prepare(), once. Not signal-safe: allocates.
 */
const char *unwinder_start(enum unwind_choice choice, unsigned depth);

#endif
