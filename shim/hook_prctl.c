/*
 * prctl(2), for the sake of seccomp. Its header is not included: there it takes
 * any number of arguments.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include <linux/prctl.h>
#include <stdarg.h>

#include "hook_seccomp.h"

HOOK int prctl(int option, ...);

/* However many arguments there are: what was not passed is not looked at. */
int prctl(int option, ...)
{
	unsigned long a[4];
	va_list list;

	va_start(list, option);
	for (size_t i = 0; i < ARRAY_SIZE(a); i++)
		a[i] = va_arg(list, unsigned long);
	va_end(list);
	if (unlikely(option == PR_SET_SECCOMP))
		leave_before_seccomp(a[0] == SECCOMP_MODE_STRICT,
				     a[0] == SECCOMP_MODE_FILTER && a[1]);
	return real.prctl(option, a[0], a[1], a[2], a[3]);
}
