/*
 * A naive walk by libc's backtrace(3), whose first call loads a library.
 *
 * SPDX-License-Identifier: MIT
 */
#include <execinfo.h>

#include "naive_walk.h"
#include "sigsafe/os/machine.h"

/* Frames of the handler, which come first. */
#define MOST (MAX_DEPTH + 32)

void naive_frames(struct walk *walk, const ucontext_t *interrupted)
{
	uintptr_t begin = interrupted ? context_pc(interrupted) : 0;
	void *pc[MOST];
	int depth = backtrace(pc, MOST);
	int i = 0;

	while (begin && i < depth && (uintptr_t)pc[i] != begin)
		i++;
	for (; i < depth; i++)
		if (walk_add(walk, (uintptr_t)pc[i], pc[i] == (void *)begin) !=
		    WALK_GOES_ON)
			return;
}
