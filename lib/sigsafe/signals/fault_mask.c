/*
 * Whether the signals of faults are open.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/signals/fault_mask.h"

#include "sigsafe/os/process.h"

/*
 * A mask of ours says nothing about the host's; nor does a handler's about the
 * thread's, or a guest's about that of the thread whose memory this is.
 */
cold void fault_mask_learn(kernel_sigset mask)
{
	if (thread_self.fault_mask != FAULT_MASK_UNKNOWN ||
	    thread_self.handler_depth || is_quiet_mask(mask) ||
	    !process_memory())
		return;
	thread_self.fault_mask = FAULT_MASK_OPEN;
	fault_mask_note(mask);
}
