/*
 * Our place in LD_PRELOAD: words separated by spaces and colons.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/preload.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define LIBRARY	   "libstallshim.so"
#define SEPARATORS " :"

static bool is_ours(const char *word, size_t length)
{
	size_t name = strlen(LIBRARY);

	return length >= name &&
	       !memcmp(word + length - name, LIBRARY, name) &&
	       (length == name || word[length - name - 1] == '/');
}

/* In place: the value only gets shorter, and nothing is allocated. */
void preload_leave_children(void)
{
	char *from = getenv("LD_PRELOAD");
	char *to = from;

	while (from && *from) {
		size_t word = strcspn(from, SEPARATORS);
		size_t with = word + strspn(from + word, SEPARATORS);

		if (!is_ours(from, word)) {
			memmove(to, from, with);
			to += with;
		}
		from += with;
	}
	if (to)
		*to = '\0';
}
