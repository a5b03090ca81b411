/*
 * Complaints: how the command speaks on stderr.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "command/command.h"
#include "report/words.h"

void complain(const char *format, ...)
{
	struct arena arena = { NULL };
	va_list arguments;
	char *text;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		abort();
	va_end(arguments);
	/* Files may be named after a program, and that as it likes. */
	fprintf(stderr, "stallshim: %s\n", words_name(&arena, text));
	arena_free(&arena);
	free(text);
}
