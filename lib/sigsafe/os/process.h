/*
 * The process this memory belongs to. A vfork child runs on its parent's
 * memory: what it writes its parent finds, while what it asks of the kernel
 * concerns itself alone. A child by fork has a copy and is its own. The page
 * of live.h tells the two apart: in the copy it is wiped.
 *
 * The process id does not tell them apart: the first process of a namespace has
 * the same as the first of the one around it. So each copy of the memory has a
 * number of its own; and guests are told by what libc gives the kernel for each
 * of its threads, the head of a list of robust locks, and a child has not until
 * libc gives it for that, too: by fork(3), and not for a guest (copy_process()
 * of Linux's kernel/fork.c, set_robust_list(2)). Where the owner has none, as a
 * child by a bare clone(2), it is told by its process id all the same.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_OS_PROCESS_H
#define SIGSAFE_OS_PROCESS_H

#include <stdint.h>

/*
 * The calling process owns its memory. To be said at the start and in the child
 * of each fork, before it can vfork in turn. Signal-safe.
 */
void process_own_memory(void);

/*
 * The number of the caller's memory, which none of those had that it is a copy
 * of; or 0 where the caller is a guest in its parent's. One system call, which
 * takes some 1 us more than getpid(2); a guest makes up to three. Signal-safe.
 */
uint32_t process_memory(void);

#endif
