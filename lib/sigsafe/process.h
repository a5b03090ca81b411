/*
 * The process this memory belongs to. A vfork child runs on its parent's
 * memory: what it writes its parent finds, while what it asks of the kernel
 * concerns itself alone. A child by fork has a copy and is its own. The page
 * of live.h tells the two apart: in the copy it is wiped.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_PROCESS_H
#define SIGSAFE_PROCESS_H

/*
 * The calling process owns its memory. To be said at the start and in the child
 * of each fork, before it can vfork in turn. Signal-safe.
 */
void process_own_memory(void);

/*
 * The caller's process id, or 0 where it is a guest in its parent's memory. One
 * system call. Signal-safe.
 */
int process_id(void);

#endif
