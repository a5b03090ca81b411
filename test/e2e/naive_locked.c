/*
 * A naive walk with a lock of its own round it, so that threads take turns: a
 * tick that comes inside waits for the walk that it has interrupted.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/atomic.h"
#include "naive_walk.h"

static uint32_t is_held;

bool naive_enter(void)
{
	uint32_t free = 0;

	while (!cas_acq_rel(&is_held, &free, 1))
		free = 0;
	return true;
}

void naive_leave(void)
{
	store_release(&is_held, 0);
}
