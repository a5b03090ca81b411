/*
 * Bus errors: by SIGBUS the kernel tells a thread that the recording has been
 * cut, as it tells the host of files of its own. Handler only, all.
 *
 * Limit: where the host blocks or ignores SIGBUS the kernel kills for such an
 * access, whatever the handler. To stay open to it we would have to keep it
 * open in masks of any kind, as the tick signal is in those with every signal
 * (sigsafe/tick_signal.h), and then to answer for it in sigpending(2),
 * sigwait(3) and signalfd(2) as well; and a SIGBUS that the host ignores would
 * be reset by each exec, of which those within posix_spawn(3) cannot be put
 * right. That is more than can go wrong unseen in programs whose recording
 * nobody cuts.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_BUS_ERROR_H
#define SIGSAFE_BUS_ERROR_H

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

/*
 * True: there is nothing to be done, now. It was the recording's, which is
 * memory of zeroes from now on, and the access is made again. Or it has come
 * inside of us, where no handler of the host may run: what was sent comes when
 * we are done, and a fault is the end, as if the signal were blocked.
 */
bool bus_error_is_ours(const siginfo_t *info, ucontext_t *uc);

/* Of a SIGBUS: made by the kernel for what the thread has done just now? */
bool bus_error_is_fault(const siginfo_t *info);

/* By default: the access is made again, and kills, or it is sent again. */
void bus_error_kills(const siginfo_t *info);

#endif
