/*
 * Signals of threads: /proc/self/task/TID/status (proc(5)).
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/os/thread_signals.h"

#include <string.h>

#include "sigsafe/os/thread_file.h"

/* A set's name, a colon, a tabulator and its digits. */
#define NAME_LENGTH 8u
#define LINE_LENGTH (NAME_LENGTH + 2 * sizeof(kernel_sigset))

/* The beginning of a line: others may be of any length. */
struct line {
	char bytes[LINE_LENGTH];
	size_t length;
};

static kernel_sigset set_of(const struct line *line)
{
	kernel_sigset set = 0;

	for (size_t i = NAME_LENGTH; i < LINE_LENGTH; i++) {
		char digit = line->bytes[i];

		set = set << 4 |
		      (kernel_sigset)(digit <= '9' ? digit - '0'
						   : digit - 'a' + 10);
	}
	return set;
}

static bool is_named(const struct line *line, const char *name)
{
	return line->length == LINE_LENGTH &&
	       !memcmp(line->bytes, name, NAME_LENGTH);
}

/* Is it the last of the lines? */
static bool take_line(const struct line *line, struct thread_signals *signals)
{
	if (is_named(line, "SigPnd:\t") || is_named(line, "ShdPnd:\t"))
		signals->pending |= set_of(line);
	if (!is_named(line, "SigBlk:\t"))
		return false;
	signals->blocked = set_of(line);
	return true;
}

static bool take_byte(struct line *line, char byte,
		      struct thread_signals *signals)
{
	bool is_last = false;

	if (byte == '\n') {
		is_last = take_line(line, signals);
		line->length = 0;
	} else if (line->length < LINE_LENGTH) {
		line->bytes[line->length++] = byte;
	}
	return is_last;
}

bool thread_signals_of(int32_t tid, struct thread_signals *signals)
{
	long fd = thread_file_open(tid, "/status"), bytes;
	struct line line = { .length = 0 };
	char text[512];
	bool is_last = false;

	*signals = (struct thread_signals){ 0 };
	if (sys_failed(fd))
		return false;
	while (!is_last && (bytes = sys3(SYS_read, fd, text, sizeof(text))) > 0)
		for (long i = 0; !is_last && i < bytes; i++)
			is_last = take_byte(&line, text[i], signals);
	sys1(SYS_close, fd);
	return is_last;
}
