/*
 * The unwinder's start: libunwind, loaded privately and tamed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_UNWINDER_H
#define SETUP_UNWINDER_H

#include "base/options.h"

/*
 * Prepares stack capture, keeping depth frames a stack (1 to MAX_DEPTH). NULL,
 * or one clause that says why stacks will be worse than asked for ("libunwind
 * is not installed, so stacks follow frame pointers only"). Not signal-safe:
 * allocates.
 */
const char *unwinder_start(enum unwind_choice choice, unsigned depth);

#endif
