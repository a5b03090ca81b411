/*
 * Patterns of names. libc's fnmatch(3) may allocate and reads the locale.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/wildcard.h"

#include <stddef.h>

bool wildcard_matches(const char *pattern, const char *name)
{
	const char *star = NULL;  /* the last one met */
	const char *after = NULL; /* the letters it stands for end here */

	while (*name) {
		if (*pattern == '*') {
			star = pattern++;
			after = name;
		} else if (*pattern == *name || *pattern == '?') {
			pattern++;
			name++;
		} else if (star) {
			/* It stands for one more: try the rest again. */
			pattern = star + 1;
			name = ++after;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}
