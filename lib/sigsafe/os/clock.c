/*
 * The clock: finds the kernel's function for it in the vDSO. Owns its address.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/os/clock.h"

#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/atomic.h"
#include "sigsafe/os/machine.h"
#include "sigsafe/os/sys.h"

typedef long clock_function(clockid_t clock, struct timespec *time);

/* Where there is no vDSO. */
static long read_by_call(clockid_t clock, struct timespec *time)
{
	return sys2(SYS_clock_gettime, clock, time);
}

/* The function called name in an object that is mapped as its file is. */
static uintptr_t find_function(const char *object, const Elf64_Shdr *section,
			       const Elf64_Shdr *symbols, const char *name)
{
	const Elf64_Sym *symbol = (const void *)(object + symbols->sh_offset);
	const char *names = object + section[symbols->sh_link].sh_offset;
	uint64_t n = symbols->sh_size / sizeof(*symbol);

	for (; n; n--, symbol++)
		if (symbol->st_shndx != SHN_UNDEF &&
		    !strcmp(names + symbol->st_name, name))
			return (uintptr_t)object + symbol->st_value;
	return 0;
}

/*
 * The kernel maps the whole vDSO, section headers included, and links it for
 * address 0 (see vdso(7)).
 */
static uintptr_t find_in_vdso(const char *name)
{
	int error = errno;
	const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *header = (const void *)vdso;
	const Elf64_Shdr *section;

	/* getauxval() says by it that there is none. */
	errno = error;
	if (!vdso || !header->e_shoff)
		return 0;
	section = (const void *)(vdso + header->e_shoff);
	for (unsigned i = 0; i < header->e_shnum; i++)
		if (section[i].sh_type == SHT_DYNSYM)
			return find_function(vdso, section, &section[i], name);
	return 0;
}

/* The first reading finds the function; who comes at once finds the same. */
static long find_and_read(clockid_t clock, struct timespec *time)
{
	clock_function *found = (clock_function *)find_in_vdso(VDSO_CLOCK);

	if (!found)
		found = read_by_call;
	store_relaxed(&clock_read, found);
	return found(clock, time);
}

long (*clock_read)(clockid_t clock, struct timespec *time) = find_and_read;
