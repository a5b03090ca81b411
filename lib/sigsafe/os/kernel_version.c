/*
 * The version of the kernel, as uname(2) tells it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/os/kernel_version.h"

#include <sys/utsname.h>

#include "sigsafe/os/sys.h"

unsigned int kernel_version(void)
{
	struct utsname kernel;
	unsigned int part[2] = { 0, 0 };
	const char *p = kernel.release;

	if (sys1(SYS_uname, &kernel))
		return 0;
	for (int i = 0; i < 2; i++, p++)
		for (; *p >= '0' && *p <= '9'; p++)
			part[i] = 10 * part[i] + (unsigned int)(*p - '0');
	return part[0] << 8 | part[1];
}
