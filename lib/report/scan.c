/*
 * Scanning of lines.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/scan.h"

#include <string.h>

bool scan_text(char **at, const char *text)
{
	size_t length = strlen(text);

	if (strncmp(*at, text, length))
		return false;
	*at += length;
	return true;
}

/* 16: no digit. */
static unsigned digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	return 16;
}

bool scan_number(char **at, unsigned base, uint64_t *number)
{
	const char *first = *at;
	bool is_too_large = false;
	uint64_t sum = 0;

	for (; digit_of(**at) < base; (*at)++)
		is_too_large |=
			__builtin_mul_overflow(sum, base, &sum) ||
			__builtin_add_overflow(sum, digit_of(**at), &sum);
	*number = is_too_large ? UINT64_MAX : sum;
	return *at > first;
}
