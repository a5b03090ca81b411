/*
 * Loading: what kind of file it is, and whose.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/decode.h"
#include "report/reader.h"
#include "report/text_reader.h"

/* No text is longer: this is many times what a recording can hold. */
#define MAX_TEXT_BYTES (UINT64_C(4) << 30)

static void add(struct processes *processes, struct process *process)
{
	size_t bytes = (processes->count + 1) * sizeof(process);
	struct process **list = realloc(processes->list, bytes);

	if (!list)
		abort();
	list[processes->count++] = process;
	processes->list = list;
}

static bool load_recording(struct processes *processes, const char *path,
			   int fd, char *fault, size_t size)
{
	struct reading reading;
	struct process *process;

	if (!reading_open(&reading, fd, fault, size))
		return false;
	process = process_new(path);
	process->damaged = reading.damaged;
	decode_recording(process, reading.recording);
	reading_close(&reading);
	add(processes, process);
	return true;
}

/* The file's text with a zero byte behind it, or NULL. */
static char *read_text(int fd, size_t bytes)
{
	char *text = malloc(bytes + 1);
	size_t length = 0;
	ssize_t got = 1;

	if (!text)
		return NULL;
	while (length < bytes && got > 0) {
		got = pread(fd, text + length, bytes - length, (off_t)length);
		length += got > 0 ? (size_t)got : 0;
	}
	text[length] = '\0';
	return text;
}

static struct process *completed_by(const struct processes *processes,
				    const char *text)
{
	for (size_t i = 0; i < processes->count; i++) {
		if (text_completes(text, processes->list[i]))
			return processes->list[i];
	}
	return NULL;
}

static bool load_text(struct processes *processes, const char *path, int fd,
		      size_t bytes, char *fault, size_t size)
{
	char *text = bytes < MAX_TEXT_BYTES ? read_text(fd, bytes) : NULL;
	struct process *process;
	bool is_new;
	bool done;

	if (!text) {
		snprintf(fault, size, "is too large to be read");
		return false;
	}
	process = completed_by(processes, text);
	is_new = !process;
	if (is_new)
		process = process_new(path);
	done = text_read(process, text, fault, size);
	free(text);
	if (is_new && done)
		add(processes, process);
	else if (is_new)
		process_free(process);
	return done;
}

static bool load_open(struct processes *processes, const char *path, int fd,
		      char *fault, size_t size)
{
	static const char nothing[sizeof(RECORDING_MAGIC) - 1];
	char beginning[sizeof(TEXT_BEGINNING)] = "";
	struct stat st;

	if (fstat(fd, &st))
		st.st_mode = 0;
	if (!S_ISREG(st.st_mode)) {
		snprintf(fault, size,
			 S_ISDIR(st.st_mode)
				 ? "is a directory: name files in it, or the "
				   "PREFIX that they begin with"
				 : "is not a regular file");
		return false;
	}
	if (pread(fd, beginning, sizeof(beginning) - 1, 0) < 0) {
		snprintf(fault, size, "can't be read: %s", strerror(errno));
		return false;
	}
	if (!memcmp(beginning, RECORDING_MAGIC, strlen(RECORDING_MAGIC)))
		return load_recording(processes, path, fd, fault, size);
	if (!strcmp(beginning, TEXT_BEGINNING))
		return load_text(processes, path, fd, (size_t)st.st_size, fault,
				 size);
	/* A recording's first word, which makes it valid, is stored last. */
	if (!memcmp(beginning, nothing, sizeof(nothing)))
		snprintf(fault, size,
			 "holds nothing yet: its program has just started, or "
			 "was killed as it did");
	else
		snprintf(fault, size,
			 "is neither a recording nor a text of stallshim");
	return false;
}

bool processes_load(struct processes *processes, const char *path, char *fault,
		    size_t size)
{
	/* A FIFO must not keep us waiting. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool done;

	if (fd < 0) {
		snprintf(fault, size, "can't be opened: %s", strerror(errno));
		return false;
	}
	done = load_open(processes, path, fd, fault, size);
	close(fd);
	return done;
}

void processes_free(struct processes *processes)
{
	for (size_t i = 0; i < processes->count; i++)
		process_free(processes->list[i]);
	free(processes->list);
	*processes = (struct processes){ .count = 0 };
}
