/*
 * Whether files can be made where an option says.
 *
 * SPDX-License-Identifier: MIT
 */
#include "command/place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"

/* "." where pattern has no directory. To be freed. */
static char *directory_of(const char *pattern)
{
	const char *slash = strrchr(pattern, '/');

	if (!slash)
		return strdup(".");
	return slash == pattern ? strdup("/")
				: strndup(pattern, (size_t)(slash - pattern));
}

bool place_is_usable(const char *flag, const char *pattern)
{
	char *directory = directory_of(pattern);
	bool is_usable = !directory || strchr(directory, '%') ||
			 !access(directory, W_OK | X_OK);

	if (!is_usable)
		complain("--%s=%s: no file can be made in %s: %s", flag,
			 pattern, directory, strerror(errno));
	free(directory);
	return is_usable;
}
