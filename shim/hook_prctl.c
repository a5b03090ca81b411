/*
 * prctl(2), for the sake of seccomp. Its header is not included: there it takes
 * any number of arguments.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include <linux/prctl.h>
#include <stdarg.h>
#include <sys/syscall.h>

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
	if (unlikely(option == PR_SET_SECCOMP))
		leave_before_seccomp(a[1] == SECCOMP_MODE_STRICT,
				     a[1] == SECCOMP_MODE_FILTER && a[2],
				     SYS_prctl, a);
	return real.prctl(option, (unsigned long)a[1], (unsigned long)a[2],
			  (unsigned long)a[3], (unsigned long)a[4]);
}
