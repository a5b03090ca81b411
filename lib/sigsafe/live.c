/*
 * The live recording's pointer. Until lib/setup maps the page that the kernel
 * wipes on fork, it lives in a page of zeroes: no recording.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/live.h"

#include <sys/mman.h>

#include "sigsafe/memory.h"
#include "sigsafe/sys.h"

static struct live nowhere;

struct live *live_page = &nowhere;

bool live_make_page(void)
{
	long page = sys6(SYS_mmap, 0, PAGE_BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (sys_failed(page) ||
	    sys3(SYS_madvise, page, PAGE_BYTES, MADV_WIPEONFORK))
		return false;
	live_page = (struct live *)page;
	return true;
}
