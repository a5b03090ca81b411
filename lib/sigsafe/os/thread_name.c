/*
 * The names of other threads: /proc/self/task/TID/comm (proc(5)).
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/os/thread_name.h"

#include <fcntl.h>
#include <string.h>

#include "base/pen.h"
#include "sigsafe/os/sys.h"

struct path {
	char bytes[64];
};

static void path_write(void *ctx, const char *bytes, size_t length)
{
	struct path *path = ctx;

	if (length < sizeof(path->bytes))
		memcpy(path->bytes, bytes, length);
}

static struct path path_of(int32_t tid)
{
	struct path path = { "" };
	const struct text_out out = { path_write, &path };
	struct pen pen = pen_for(&out);

	pen_number(&pen, "/proc/self/task/", (uint64_t)tid, "/comm");
	pen_flush(&pen);
	return path;
}

void thread_name_of(int32_t tid, char name[NAME_BYTES])
{
	struct path path = path_of(tid);
	long fd =
		sys4(SYS_openat, AT_FDCWD, path.bytes, O_RDONLY | O_CLOEXEC, 0);
	long length = 0;

	if (!sys_failed(fd)) {
		length = sys3(SYS_read, fd, name, NAME_BYTES);
		sys1(SYS_close, fd);
	}
	/* The last byte is a newline. */
	memset(name + (length > 0 ? length - 1 : 0), 0,
	       NAME_BYTES - (size_t)(length > 0 ? length - 1 : 0));
}
