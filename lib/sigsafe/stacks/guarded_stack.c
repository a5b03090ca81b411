/*
 * Stacks with a guard.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/stacks/guarded_stack.h"

#include <sys/mman.h>

#include "sigsafe/os/memory.h"
#include "sigsafe/os/sys.h"

cold void *guarded_stack_map(size_t bytes)
{
	long at = sys6(
		SYS_mmap, 0, (long)(PAGE_BYTES + bytes), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);

	if (sys_failed(at))
		return NULL;
	/* Without the guard it is as good, if nothing is wrong. */
	sys3(SYS_mprotect, at, PAGE_BYTES, PROT_NONE);
	return (char *)at + PAGE_BYTES;
}

cold void guarded_stack_unmap(void *stack, size_t bytes)
{
	sys2(SYS_munmap, (char *)stack - PAGE_BYTES,
	     (long)(PAGE_BYTES + bytes));
}
