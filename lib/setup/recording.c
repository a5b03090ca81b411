/*
 * The recording's file.
 *
 * A store into a hole on a full disk would kill the host (SIGBUS): so every
 * block is allocated here. And where the file system copies on write, as btrfs
 * does, a page that has been written back would take another block: so it is
 * asked not to. (Linux 6.18 heeds that for a mapping; older ones may not.)
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/recording.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "setup/file_limit.h"
#include "setup/layout.h"
#include "sigsafe/os/sys.h"

#define OWNER_ONLY 0600

static long write_at(int fd, const void *from, uint64_t bytes, uint64_t at)
{
	const char *next = from;

	while (bytes) {
		long done = sys4(SYS_pwrite64, fd, next, bytes, at);

		if (done <= 0)
			return done ? done : -ENOSPC;
		next += done;
		at += (uint64_t)done;
		bytes -= (uint64_t)done;
	}
	return 0;
}

/* For a file system without fallocate: zeroes do as well. */
static long write_zeroes(int fd, uint64_t bytes)
{
	static const char zeroes[1 << 16];
	long err = 0;

	for (uint64_t at = 0; at < bytes && !err; at += sizeof(zeroes))
		err = write_at(fd, zeroes, min_u64(bytes - at, sizeof(zeroes)),
			       at);
	return err;
}

static long allocate(int fd, uint64_t bytes)
{
	long err = sys4(SYS_fallocate, fd, 0, 0, bytes);

	return err == -EOPNOTSUPP || err == -ENOSYS ? write_zeroes(fd, bytes)
						    : err;
}

/* Refused where there is nothing of the kind; heeded of an empty file only. */
static void write_in_place(int fd)
{
	int flags = FS_NOCOW_FL;

	sys3(SYS_ioctl, fd, FS_IOC_SETFLAGS, &flags);
}

/* old: what takes its place, and begins as it is; or NULL. */
static int map(int fd, uint64_t bytes, const struct recording *old,
	       struct recording **made, struct recording_file *file)
{
	struct stat st;
	long err;

	write_in_place(fd);
	err = allocate(fd, bytes);
	if (!err && old)
		err = write_at(fd, old, bytes, 0);
	if (!err)
		err = sys4(SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH);
	if (!err)
		err = sys6(SYS_mmap, (long)old, (long)bytes,
			   PROT_READ | PROT_WRITE,
			   MAP_SHARED | (old ? MAP_FIXED : 0), fd, 0);
	if (sys_failed(err))
		return (int)err;
	*made = (struct recording *)err;
	/* No read-ahead: it would make, and clear, pages nobody asked for. */
	sys3(SYS_madvise, err, bytes, MADV_RANDOM);
	file->device = st.st_dev;
	file->inode = st.st_ino;
	return 0;
}

static int make(const char *path, uint64_t bytes, const struct recording *old,
		struct recording **made, struct recording_file *file)
{
	int err, fd;

	if (!file_limit_allows(bytes))
		return -EFBIG;
	fd = (int)sys4(SYS_openat, AT_FDCWD, path,
		       O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		       OWNER_ONLY);
	if (fd < 0)
		return fd;
	err = map(fd, bytes, old, made, file);
	sys1(SYS_close, fd);
	if (err)
		sys3(SYS_unlinkat, AT_FDCWD, path, 0);
	return err;
}

int recording_make(const char *path, uint64_t bytes, struct recording **made,
		   struct recording_file *file)
{
	int err = make(path, bytes, NULL, made, file);

	if (!err)
		layout_sections(*made, bytes);
	return err;
}

int recording_make_again(const char *path, uint64_t bytes,
			 const struct recording *rec,
			 struct recording_file *file)
{
	struct recording *made;

	return make(path, bytes, rec, &made, file);
}

void recording_remove(const char *path, const struct recording_file *file)
{
	struct stat st;

	if (sys4(SYS_newfstatat, AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW))
		return;
	if (st.st_dev == file->device && st.st_ino == file->inode)
		sys3(SYS_unlinkat, AT_FDCWD, path, 0);
}
