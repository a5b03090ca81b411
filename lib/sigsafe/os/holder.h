/*
 * Who holds a thing of ours, by thread id, and whether that thread is no more.
 * A guest that runs beside the thread whose memory it has, as a child by
 * clone(CLONE_VM) does, can be killed alone, in the midst of anything: what it
 * held is free then, and what it was at is lost. Until whoever has made it has
 * waited for it, it counts as alive. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_OS_HOLDER_H
#define SIGSAFE_OS_HOLDER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The calling thread, not 0. Asks the kernel: a guest shares what is noted. Of
 * one that may be in another namespace it is never found that it is gone.
 */
uint32_t holder_self(void);

/*
 * Is the thread no more? Two system calls, so only to be asked once it has held
 * for longer than it should. A guest never finds that: it may be one of another
 * namespace, where threads have other ids.
 */
bool holder_is_gone(uint32_t holder);

#endif
