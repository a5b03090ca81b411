/*
 * The names of other threads: /proc/self/task/TID/comm (proc(5)).
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/os/thread_name.h"

#include <string.h>

#include "sigsafe/os/sys.h"
#include "sigsafe/os/thread_file.h"

void thread_name_of(int32_t tid, char name[NAME_BYTES])
{
	long fd = thread_file_open(tid, "/comm");
	long length = 0;

	if (!sys_failed(fd)) {
		length = sys3(SYS_read, fd, name, NAME_BYTES);
		sys1(SYS_close, fd);
	}
	/* The last byte is a newline. */
	memset(name + (length > 0 ? length - 1 : 0), 0,
	       NAME_BYTES - (size_t)(length > 0 ? length - 1 : 0));
}
