/*
 * Faults: SIGBUS, by which the kernel tells that the recording has been cut,
 * and SIGSEGV, that a walk has read what is not there. They tell the host of
 * faults of its own as well. Handler only, all.
 *
 * Limit: where the host blocks or ignores them the kernel kills for such an
 * access, whatever the handler; but a tick opens what is blocked. To stay open
 * to them elsewhere we would have to keep them open in masks of any kind, as
 * the tick signal is in those with every signal (sigsafe/tick_signal.h), and
 * then to answer for it in sigpending(2), sigwait(3) and signalfd(2) as well;
 * and one that the host ignores would be reset by each exec, of which those
 * within posix_spawn(3) cannot be put right. That is more than can go wrong
 * unseen in programs whose recording nobody cuts, and whose stack stays.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_FAULT_H
#define SIGSAFE_FAULT_H

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

/*
 * True: there is nothing to be done, now. It was a walk's, and what was read
 * there has failed; or the recording's, which is memory of zeroes from now on,
 * and the access is made again. Or it was sent, and has come inside of us,
 * where no handler of the host may run: it comes when we are done. Any other
 * fault there is of the host's stack, which its handler may make as it is met.
 */
bool fault_is_ours(int sig, const siginfo_t *info, ucontext_t *uc);

/* Was it made by the kernel for what the thread has done just now? */
bool fault_is_made(int sig, const siginfo_t *info);

/* By default: the access is made again, and kills, or it is sent again. */
void fault_kills(int sig, const siginfo_t *info);

#endif
