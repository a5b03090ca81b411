/*
 * The preload: where the library is, and LD_PRELOAD.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef COMMAND_PRELOAD_H
#define COMMAND_PRELOAD_H

#include "base/units.h"

/*
 * Puts the library in front of LD_PRELOAD, keeping what is there. False, with
 * one clause that says why in fault, where there is no usable library.
 */
bool preload_set(char *fault, size_t size);

#endif
