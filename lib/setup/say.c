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

#include "sigsafe/sys.h"

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

	if (is_same_stderr())
		sys3(SYS_writev, STDERR, line, ARRAY_SIZE(line));
}

void say_plainly(void *unused, const char *text)
{
	(void)unused;
	if (is_same_stderr())
		sys3(SYS_write, STDERR, text, strlen(text));
}

bool say_to_terminal(void)
{
	char terminal[64]; /* more than the kernel's struct termios */

	return is_same_stderr() &&
	       sys3(SYS_ioctl, STDERR, TCGETS, terminal) == 0;
}
