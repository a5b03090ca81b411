/*
 * The host's pointers, where a hook follows them in place of the kernel: it has
 * to fail with EFAULT, too. They mostly lead to the caller's own frame, and
 * that mostly begins on the page of ours: which costs nothing to see.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_POINTER_H
#define SHIM_HOOK_POINTER_H

#include "sigsafe/os/memory.h"

static inline bool is_on_page_of(const void *mine, const void *p, size_t bytes)
{
	uintptr_t page = (uintptr_t)mine / PAGE_BYTES;

	return (uintptr_t)p / PAGE_BYTES == page &&
	       ((uintptr_t)p + bytes - 1) / PAGE_BYTES == page;
}

static inline bool pointer_can_be_read(const void *p, size_t bytes)
{
	return likely(is_on_page_of(__builtin_frame_address(0), p, bytes)) ||
	       memory_is_readable(p, bytes);
}

/* What was there is lost. */
static inline bool pointer_can_be_written(void *p, size_t bytes)
{
	return likely(is_on_page_of(__builtin_frame_address(0), p, bytes)) ||
	       memory_can_be_written(p, bytes);
}

#endif
