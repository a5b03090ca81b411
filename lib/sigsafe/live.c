/*
 * The live recording's pointer. Until lib/setup maps the page that the kernel
 * wipes on fork, it lives in a page of zeroes: no recording.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/live.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "sigsafe/os/memory.h"
#include "sigsafe/os/sys.h"

static struct live nowhere;

struct live *live_page = &nowhere;
struct recording live_header;

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

/* Where live_header's recording lies, in a forked child its parent's. */
static uintptr_t place;

void live_begin(struct recording *rec)
{
	place = (uintptr_t)rec;
	live_header = *rec;
	/* Pairs with live_recording(). */
	store_release(&live_page->recording, rec);
}

static bool left; /* written by live_leave() */

void live_leave(void)
{
	/* Relaxed: who does not see it yet does what it has done before. */
	store_relaxed(&left, true);
}

bool live_is_left(void)
{
	return load_relaxed(&left);
}

bool live_replace(const void *address)
{
	if ((uintptr_t)address - place >= live_header.size_bytes)
		return false;
	return !sys_failed(
		sys6(SYS_mmap, (long)place, (long)live_header.size_bytes,
		     PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE,
		     -1, 0));
}

static bool is_same_place(const struct section *a, const struct section *b)
{
	return a->offset == b->offset && a->record_bytes == b->record_bytes &&
	       a->capacity == b->capacity;
}

bool live_is_intact(const struct recording *rec)
{
	const size_t identity = offsetof(struct recording, pid);

	for (int i = 0; i < SECTION_COUNT; i++) {
		if (!is_same_place(&rec->section[i], &live_header.section[i]))
			return false;
	}
	return !memcmp(rec, &live_header,
		       offsetof(struct recording, section)) &&
	       !memcmp((const char *)rec + identity,
		       (const char *)&live_header + identity,
		       offsetof(struct recording, end) - identity);
}
