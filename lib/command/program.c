/*
 * Programs: found in PATH, and followed from scripts to what interprets them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "command/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/units.h"
#include "command/command.h"
#include "command/preloadable.h"
#include "report/regular_file.h"

/* The kernel follows no more than five scripts, and reads so much of each. */
#define MAX_SCRIPTS	 5
#define FIRST_LINE_BYTES 256

/* 0, or the reason not to execute path. */
static int execute_error(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	if (!S_ISREG(st.st_mode) || faccessat(AT_FDCWD, path, X_OK, AT_EACCESS))
		return EACCES;
	return 0;
}

static int fault_of(struct program *program, const char *name, int error)
{
	bool missing = error == ENOENT || error == ENOTDIR;

	snprintf(program->fault, sizeof(program->fault), "%s: %s", name,
		 missing && !strchr(name, '/') ? "not found in PATH"
					       : strerror(error));
	return missing ? STATUS_NOT_FOUND : STATUS_NOT_RUNNABLE;
}

/* Writes directory/name for the next directory of PATH; moves on behind it. */
static void next_candidate(char *path, const char **search, const char *name)
{
	const char *end = strchrnul(*search, ':');
	int length = (int)(end - *search);

	snprintf(path, PATH_MAX, "%.*s%s%s", length, *search, length ? "/" : "",
		 name);
	*search = *end ? end + 1 : NULL;
}

int program_find(struct program *program, const char *name)
{
	const char *search = getenv("PATH");
	int error = ENOENT;

	if (strchr(name, '/')) {
		snprintf(program->path, sizeof(program->path), "%s", name);
		error = execute_error(program->path);
		return error ? fault_of(program, name, error) : 0;
	}
	if (!*name)
		return fault_of(program, name, ENOENT);
	if (!search)
		search = "/bin:/usr/bin";
	while (search) {
		int found;

		next_candidate(program->path, &search, name);
		found = execute_error(program->path);
		if (!found)
			return 0;
		if (found == EACCES)
			error = EACCES;
	}
	return fault_of(program, name, error);
}

/* The next word of a line; NULL where there is none. */
static char *next_word(char **line)
{
	char *word = strsep(line, " \t");

	while (word && !*word)
		word = strsep(line, " \t");
	return word;
}

/* env's own arguments come before the name of what it starts. */
static char *word_for_env(char **line)
{
	char *word = next_word(line);

	while (word && (*word == '-' || strchr(word, '='))) {
		if (!strncmp(word, "-S", 2) && word[2])
			return word + 2;
		word = next_word(line);
	}
	return word;
}

/* Replaces a script's path by that of what its #! line starts. */
static int follow_line(struct program *program, char *line)
{
	char *interpreter = next_word(&line);
	const char *slash = interpreter ? strrchr(interpreter, '/') : NULL;
	char *started = NULL;

	if (slash && !strcmp(slash, "/env"))
		started = word_for_env(&line);
	if (started)
		return program_find(program, started);
	snprintf(program->path, sizeof(program->path), "%s",
		 interpreter ? interpreter : "");
	return 0;
}

/* The first line of a script, "" of any other file. */
static void read_script_line(const char *path, char *line, size_t size)
{
	int fd = regular_file_open(path);
	ssize_t length = fd < 0 ? -1 : read(fd, line, size - 1);

	if (fd >= 0)
		close(fd);
	line[length > 0 ? length : 0] = '\0';
	if (strncmp(line, "#!", 2))
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
}

int program_check(struct program *program)
{
	for (int scripts = 0; scripts <= MAX_SCRIPTS; scripts++) {
		char line[FIRST_LINE_BYTES];
		int status;

		read_script_line(program->path, line, sizeof(line));
		if (!*line) {
			return is_preloadable(program->path, program->fault,
					      sizeof(program->fault))
				       ? 0
				       : STATUS_NOT_RUNNABLE;
		}
		status = follow_line(program, line + 2);
		if (status)
			return status;
	}
	return fault_of(program, program->path, ELOOP);
}
