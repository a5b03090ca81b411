/*
 * Patterns of names: * stands for any letters, ? for one. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_WILDCARD_H
#define BASE_WILDCARD_H

#include <stdbool.h>

/* Does the whole name match? */
bool wildcard_matches(const char *pattern, const char *name);

#endif
