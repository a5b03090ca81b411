/*
 * A service of libc's name service switch that takes 60 ms to know nobody.
 *
 * SPDX-License-Identifier: MIT
 */
#include <nss.h>
#include <pwd.h>

#include "victim.h"

enum nss_status _nss_stalling_getpwnam_r(const char *name, struct passwd *found,
					 char *buffer, size_t bytes,
					 int *error);

__attribute__((noinline)) enum nss_status
_nss_stalling_getpwnam_r(const char *name, struct passwd *found, char *buffer,
			 size_t bytes, int *error)
{
	(void)name;
	(void)found;
	(void)buffer;
	(void)bytes;
	(void)error;
	spin(60 * NS_PER_MS);
	return NSS_STATUS_NOTFOUND;
}
