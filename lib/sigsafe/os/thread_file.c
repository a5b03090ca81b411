/*
 * Files of threads: /proc/self/task/TID/FILE.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/os/thread_file.h"

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

static struct path path_of(int32_t tid, const char *file)
{
	struct path path = { "" };
	const struct text_out out = { path_write, &path };
	struct pen pen = pen_for(&out);

	pen_number(&pen, "/proc/self/task/", (uint64_t)tid, file);
	pen_flush(&pen);
	return path;
}

long thread_file_open(int32_t tid, const char *file)
{
	struct path path = path_of(tid, file);

	return sys4(SYS_openat, AT_FDCWD, path.bytes, O_RDONLY | O_CLOEXEC, 0);
}
