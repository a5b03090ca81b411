/*
 * prctl(2), for the sake of seccomp and its like. Its header is not included:
 * there it takes any number of arguments.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include <stdarg.h>

#include "hook_seccomp.h"

HOOK int prctl(int option, ...);

/* However many arguments there are: what was not passed is not looked at. */
int prctl(int option, ...)
{
	long a[5] = { option };
	va_list list;

	va_start(list, option);
	for (size_t i = 1; i < ARRAY_SIZE(a); i++)
		a[i] = va_arg(list, long);
	va_end(list);
	leave_before_prctl(a);
	return real.prctl(option, (unsigned long)a[1], (unsigned long)a[2],
			  (unsigned long)a[3], (unsigned long)a[4]);
}
