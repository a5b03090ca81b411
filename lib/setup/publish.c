/*
 * The texts: written beside their place, then renamed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/publish.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/law.h"
#include "setup/file_limit.h"
#include "setup/output.h"
#include "sigsafe/os/sys.h"

#define OWNER_ONLY 0600

const char *const text_suffix[SAMPLE_KINDS] = {
#define X(name, text) "." text ".txt",
	SAMPLE_KIND_NAMES(X)
#undef X
};

/* A file being written. Static: the caller's stack may be a small one. */
static struct file {
	int fd;
	int error; /* the first -errno */
	uint64_t written;
	size_t used;
	char bytes[1 << 14];
} file;

static void write_out(const char *bytes, size_t length)
{
	if (!file_limit_allows(file.written + length))
		file.error = -EFBIG;
	while (length && !file.error) {
		long done = sys3(SYS_write, file.fd, bytes, length);

		if (done == -EINTR)
			continue;
		if (done < 0) {
			file.error = (int)done;
			return;
		}
		bytes += done;
		file.written += (uint64_t)done;
		length -= (size_t)done;
	}
}

static void flush(void)
{
	write_out(file.bytes, file.used);
	file.used = 0;
}

static void collect(void *ctx, const char *bytes, size_t length)
{
	(void)ctx;
	if (length > sizeof(file.bytes) - file.used)
		flush();
	if (length > sizeof(file.bytes)) {
		write_out(bytes, length);
		return;
	}
	memcpy(file.bytes + file.used, bytes, length);
	file.used += length;
}

static long move(const char *from, const char *to, bool replace)
{
	long err = sys6(SYS_renameat2, AT_FDCWD, (long)from, AT_FDCWD, (long)to,
			replace ? 0 : RENAME_NOREPLACE, 0);

	/* A file system that knows no flags: the name was free at the start. */
	return err == -EINVAL ? sys4(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to)
			      : err;
}

static int publish(const struct recording *rec, enum sample_kind kind,
		   const char *prefix, uint64_t now_ns, bool replace,
		   void *scratch, const struct text_names *names)
{
	static const struct text_out out = { .write = collect };
	static char path[PREFIX_BYTES], beside[PREFIX_BYTES];

	stpcpy(stpcpy(path, prefix), text_suffix[kind]);
	stpcpy(stpcpy(beside, path), ".new");
	file.error = 0;
	file.used = 0;
	file.written = 0;
	/* Left by one that was killed while it wrote. */
	sys3(SYS_unlinkat, AT_FDCWD, beside, 0);
	file.fd =
		(int)sys4(SYS_openat, AT_FDCWD, beside,
			  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			  OWNER_ONLY);
	if (file.fd < 0)
		return file.fd;
	text_write(rec, kind, now_ns, scratch, &out, names);
	flush();
	sys1(SYS_close, file.fd);
	if (!file.error)
		file.error = (int)move(beside, path, replace);
	if (file.error)
		sys3(SYS_unlinkat, AT_FDCWD, beside, 0);
	return file.error;
}

int publish_texts(const struct recording *rec, const char *prefix,
		  uint64_t now_ns, bool replace, const struct text_names *names)
{
	size_t bytes = text_scratch_bytes(rec);
	long scratch = sys6(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int first_error = 0;

	if (sys_failed(scratch))
		return (int)scratch;
	for (int kind = 0; kind < SAMPLE_KINDS; kind++) {
		int err;

		/* Few programs have semaphores: the others need no text. */
		if (kind == SAMPLE_SEM && !law_of(rec, kind, now_ns).waits)
			continue;
		err = publish(rec, kind, prefix, now_ns, replace,
			      (void *)scratch, names);

		if (!first_error)
			first_error = err;
	}
	sys2(SYS_munmap, scratch, bytes);
	return first_error;
}
