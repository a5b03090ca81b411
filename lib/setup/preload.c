/*
 * LD_PRELOAD, and our place in it: words separated by spaces and colons.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/preload.h"

#include <string.h>

#include "base/units.h"

#define VARIABLE   "LD_PRELOAD="
#define LIBRARY	   "libstallshim.so"
#define SEPARATORS " :"

static bool is_ours(const char *word, size_t length)
{
	size_t name = strlen(LIBRARY);

	return length >= name && !memcmp(word + length - name, LIBRARY, name) &&
	       (length == name || word[length - name - 1] == '/');
}

static void leave(char *value)
{
	char *from = value, *to = value;

	while (*from) {
		size_t word = strcspn(from, SEPARATORS);
		size_t with = word + strspn(from + word, SEPARATORS);

		if (!is_ours(from, word)) {
			memmove(to, from, with);
			to += with;
		}
		from += with;
	}
	*to = '\0';
}

bool preload_has(char **environment, const char *part)
{
	for (; *environment; environment++)
		if (!strncmp(*environment, VARIABLE, strlen(VARIABLE)) &&
		    strstr(*environment, part))
			return true;
	return false;
}

/* In place: the value only gets shorter, and nothing is allocated. */
void preload_leave_children(char **environment)
{
	for (; *environment; environment++)
		if (!strncmp(*environment, VARIABLE, strlen(VARIABLE)))
			leave(*environment + strlen(VARIABLE));
}
