/*
 * The voice. Owns the memory of what stderr was.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/say.h"

#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "setup/file_limit.h"
#include "sigsafe/os/sys.h"

#define STDERR 2

/* Written by say_start() before main, read ever after. */
static struct stat stderr_at_start;
static bool had_stderr;

static bool stat_stderr(struct stat *st)
{
	return sys4(SYS_newfstatat, STDERR, "", st, AT_EMPTY_PATH) == 0;
}

static bool is_same_stderr(void)
{
	struct stat now;

	return had_stderr && stat_stderr(&now) &&
	       now.st_dev == stderr_at_start.st_dev &&
	       now.st_ino == stderr_at_start.st_ino;
}

/* So many bytes more do no harm, should stderr be a file with a limit. */
static bool may_say(size_t length)
{
	struct stat now;

	return is_same_stderr() && stat_stderr(&now) &&
	       (!S_ISREG(now.st_mode) ||
		file_limit_allows((uint64_t)now.st_size + length));
}

void say_start(void)
{
	had_stderr = stat_stderr(&stderr_at_start);
}

void say(const char *sentence)
{
	static const char name[] = "stallshim: ";
	struct iovec line[] = {
		{ (void *)(uintptr_t)name, sizeof(name) - 1 },
		{ (void *)(uintptr_t)sentence, strlen(sentence) },
		{ (void *)(uintptr_t) "\n", 1 },
	};

	if (may_say(line[0].iov_len + line[1].iov_len + line[2].iov_len))
		sys3(SYS_writev, STDERR, line, ARRAY_SIZE(line));
}

void say_plainly(void *unused, const char *text)
{
	(void)unused;
	if (may_say(strlen(text)))
		sys3(SYS_write, STDERR, text, strlen(text));
}

bool say_to_terminal(void)
{
	char terminal[64]; /* more than the kernel's struct termios */

	return is_same_stderr() &&
	       sys3(SYS_ioctl, STDERR, TCGETS, terminal) == 0;
}
