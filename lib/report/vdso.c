/*
 * The vDSO: copied from memory, where the kernel maps it into each process.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/vdso.h"

#include <elf.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/units.h"

int vdso_open(void)
{
	const char *start = (const char *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *header = (const void *)start;
	size_t bytes;
	int fd;

	if (!start)
		return -1;
	/* Its section headers come last. */
	bytes = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return -1;
	if (write(fd, start, bytes) == (ssize_t)bytes)
		return fd;
	close(fd);
	return -1;
}
