/*
 * Complaints: how the command speaks on stderr.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdarg.h>
#include <stdio.h>

#include "command/command.h"

void complain(const char *format, ...)
{
	va_list arguments;

	fputs("stallshim: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}
