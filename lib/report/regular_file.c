/*
 * SPDX-License-Identifier: MIT
 *
 * Regular files.
 */
#include "report/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(void)
{
	errno = EINVAL;
	return -1;
}

int regular_file_open(const char *path)
{
	struct stat file;
	int fd;

	if (stat(path, &file))
		return -1;
	if (!S_ISREG(file.st_mode))
		return refuse();
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -1;
	/* Another one may be there by now. */
	if (!fstat(fd, &file) && S_ISREG(file.st_mode))
		return fd;
	close(fd);
	return refuse();
}
