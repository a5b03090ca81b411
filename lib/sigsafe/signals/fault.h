/*
 * Faults: SIGBUS, by which the kernel tells that the recording has been cut,
 * and SIGSEGV, that a walk has read what is not there. They tell the host of
 * faults of its own as well. Handler only, all.
 *
 * Where the host blocks or ignores them the kernel kills for such an access,
 * whatever the handler. So a tick opens what is blocked, and so does what a
 * hook does that walks (sigsafe/signals/fault_mask.h); and while the host
 * ignores one, walks read no page where it lies but those that are sure to be
 * there (sigsafe/walk/stack_reach.h).
 *
 * Limit: what hooks write to the recording besides, at each turn, they write
 * with the host's mask; and a walk does not help who ignores SIGBUS. To stay
 * open everywhere we would have to keep these signals open in masks of any
 * kind, as the tick signal is in those with every signal
 * (sigsafe/signals/tick_signal.h), and then to answer for it in sigpending(2),
 * sigwait(3) and signalfd(2) as well; and one that the host ignores would be
 * reset by each exec, of which those within posix_spawn(3) cannot be put right.
 * That is more than can go wrong unseen in programs whose recording nobody
 * cuts.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_SIGNALS_FAULT_H
#define SIGSAFE_SIGNALS_FAULT_H

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

/*
 * True: there is nothing to be done, now. It was a walk's, and what was read
 * there has failed; or the recording's, which is memory of zeroes from now on,
 * and the access is made again. Or it was sent, and has come inside of us,
 * where no handler of the host may run: it comes when we are done
 * (sigsafe/signals/sent_fault.h). Any other
 * fault there is of the host's stack, which its handler may make as it is met.
 */
bool fault_is_ours(int sig, const siginfo_t *info, ucontext_t *uc);

/* Was it made by the kernel for what the thread has done just now? */
bool fault_is_made(int sig, const siginfo_t *info);

/*
 * By these a program crashes, if its handler does not know better. That may
 * then do what bears no tick: Redis' fills all memory with patterns, ours as
 * well, to see whether it keeps them.
 */
bool fault_may_end_host(int sig, const siginfo_t *info);

/* By default: the access is made again, and kills, or it is sent again. */
void fault_kills(int sig, const siginfo_t *info, ucontext_t *uc);

#endif
