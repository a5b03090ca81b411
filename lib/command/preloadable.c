/*
 * Whether LD_PRELOAD reaches an executable file: what ld.so(8) and the kernel
 * say about secure execution, and what the ELF headers say about the rest.
 *
 * SPDX-License-Identifier: MIT
 */
#include "command/preloadable.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/target.h"
#include "report/regular_file.h"

struct check {
	const char *path;
	int fd;
	char *fault;
	size_t size;
};

static bool refuse(const struct check *check, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static bool refuse(const struct check *check, const char *format, ...)
{
	int used = snprintf(check->fault, check->size, "%s ", check->path);
	va_list arguments;

	if (used < 0 || (size_t)used >= check->size)
		return false;
	va_start(arguments, format);
	vsnprintf(check->fault + used, check->size - (size_t)used, format,
		  arguments);
	va_end(arguments);
	return false;
}

/* Files on such a mount, or started by such a process, gain no rights. */
static bool gains_nothing(const struct check *check)
{
	struct statvfs mount;

	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ||
	       (!fstatvfs(check->fd, &mount) && mount.f_flag & ST_NOSUID);
}

static bool has_capabilities(const struct check *check)
{
	return fgetxattr(check->fd, "security.capability", NULL, 0) > 0;
}

/* Where a program gains rights, ld.so ignores LD_PRELOAD. */
static bool keeps_rights(const struct check *check)
{
	struct stat st;

	if (fstat(check->fd, &st) || gains_nothing(check))
		return true;
	if (st.st_mode & S_ISUID && st.st_uid != geteuid())
		return refuse(check, "is set-uid: the system lets nobody "
				     "preload a library into it");
	if (st.st_mode & S_ISGID && st.st_mode & S_IXGRP &&
	    st.st_gid != getegid())
		return refuse(check, "is set-gid: the system lets nobody "
				     "preload a library into it");
	/* Root's own programs gain nothing by the capabilities of a file. */
	if (getuid() != 0 && has_capabilities(check))
		return refuse(check, "has file capabilities: the system lets "
				     "nobody preload a library into it");
	return true;
}

static bool fits_processor(const struct check *check, const Elf64_Ehdr *header)
{
	if (header->e_ident[EI_CLASS] != ELFCLASS64)
		return refuse(check, "is a 32-bit program: this stallshim "
				     "watches 64-bit ones");
	if (header->e_machine != TARGET_ELF)
		return refuse(check,
			      "is made for another processor (ELF "
			      "machine %u)",
			      header->e_machine);
	return true;
}

/* Reads the path of the dynamic loader; "" where the file asks for none. */
static void read_loader(const struct check *check, const Elf64_Ehdr *header,
			char *loader, size_t size)
{
	loader[0] = '\0';
	for (unsigned i = 0; i < header->e_phnum; i++) {
		off_t at = (off_t)(header->e_phoff + i * sizeof(Elf64_Phdr));
		Elf64_Phdr segment;

		if (pread(check->fd, &segment, sizeof(segment), at) !=
		    sizeof(segment))
			return;
		if (segment.p_type == PT_INTERP) {
			size_t length = min_u64(segment.p_filesz, size - 1);
			ssize_t got = pread(check->fd, loader, length,
					    (off_t)segment.p_offset);

			loader[got > 0 ? got : 0] = '\0';
			return;
		}
	}
}

static bool is_glibc_loader(const char *path)
{
	const char *base = strrchr(path, '/');

	return !strncmp(base ? base + 1 : path, "ld-linux", 8);
}

static bool uses_our_libc(const struct check *check, const Elf64_Ehdr *header)
{
	char loader[PATH_MAX];

	/* The loader itself names no loader, and preloads all the same. */
	if (is_glibc_loader(check->path))
		return true;
	read_loader(check, header, loader, sizeof(loader));
	if (!*loader)
		return refuse(check, "is statically linked: no library can be "
				     "preloaded into it");
	if (!is_glibc_loader(loader))
		return refuse(check,
			      "uses another libc than glibc (its loader "
			      "is %s)",
			      loader);
	return true;
}

static bool check_file(const struct check *check)
{
	Elf64_Ehdr header;

	if (!keeps_rights(check))
		return false;
	if (pread(check->fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG))
		return true; /* the kernel's or the shell's business */
	return fits_processor(check, &header) && uses_our_libc(check, &header);
}

bool is_preloadable(const char *path, char *fault, size_t size)
{
	struct check check = { .path = path, .fault = fault, .size = size };
	bool good;

	check.fd = regular_file_open(path);
	if (check.fd < 0)
		return true;
	good = check_file(&check);
	close(check.fd);
	return good;
}
