/*
 * Whether files can be made where an option says.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef COMMAND_PLACE_H
#define COMMAND_PLACE_H

#include <stdbool.h>

/*
 * Complains, by the flag's name, where pattern names a directory that files
 * can't be made in. What % stands for is known to the program alone: such a
 * directory is believed in.
 */
bool place_is_usable(const char *flag, const char *pattern);

#endif
