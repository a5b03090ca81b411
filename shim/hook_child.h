/*
 * Where a hook meets its first event in a forked child, the child's session
 * starts.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_CHILD_H
#define SHIM_HOOK_CHILD_H

#include "setup/session.h"
#include "sigsafe/live.h"

static inline void start_if_forked(void)
{
	if (unlikely(!live_recording()))
		session_start_in_child();
}

#endif
