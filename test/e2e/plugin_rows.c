/*
 * Preloaded into a program, compares the rows of the program itself with what
 * readelf says (test/unit/rows_fixture.h), and ends it: "rows N" for those that
 * are equal, or the first difference.
 *
 * SPDX-License-Identifier: MIT
 */
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../unit/rows_fixture.h"
#include "sigsafe/walk/object.h"

/* The program is the first one. */
static int take_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uintptr_t *)bias = info->dlpi_addr;
	return 1;
}

static __attribute__((constructor)) void compare_program(void)
{
	struct rows_compared compared;
	char path[PATH_MAX];
	uintptr_t bias = 0;

	unsetenv("LD_PRELOAD");
	if (!realpath("/proc/self/exe", path))
		_exit(1);
	object_note_program();
	dl_iterate_phdr(take_bias, &bias);
	rows_compare(bias, path, &compared);
	if (*compared.difference)
		dprintf(1, "%s: %s\n", path, compared.difference);
	else
		dprintf(1, "rows %lu\n", compared.rows);
	_exit(*compared.difference ? 1 : 0);
}
