/*
 * Whether LD_PRELOAD reaches an executable file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef COMMAND_PRELOADABLE_H
#define COMMAND_PRELOADABLE_H

#include "base/units.h"

/*
 * False, with one clause that says why in fault, for a program that is
 * statically linked, gains rights when it starts, is made for another
 * processor or uses another libc. True where the file can't be read.
 */
bool is_preloadable(const char *path, char *fault, size_t size);

#endif
