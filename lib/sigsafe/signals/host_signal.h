/*
 * Signals as the host sees them: it asks for, and is told, its own
 * dispositions, masks (sigsafe/signals/host_mask.h) and pending signals, as if
 * the tick signal (sigsafe/signals/tick_signal.h) and our handler
 * (sigsafe/signals/signal_entry.h) were not there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_SIGNALS_HOST_SIGNAL_H
#define SIGSAFE_SIGNALS_HOST_SIGNAL_H

#include <signal.h>

#include "sigsafe/signals/disposition.h"
#include "sigsafe/signals/tick_signal.h"

/*
 * Takes the signals over. chosen: the tick signal, or 0 for SIGUSR1; where
 * the host has it ignored or blocked already, a private real-time signal is
 * used instead. last_words: called before a signal kills the process by
 * default; it must be signal-safe. libcs: libc's sigaction(2). Called once,
 * from the constructor, on glibc. Leaves errno alone.
 */
void host_signal_start(int chosen, void (*last_words)(int sig),
		       sigaction_function *libcs);

/*
 * In the child of each fork, which owns its memory: signals that its parent, as
 * the first process of a container, ignored may kill it; or it is now that
 * first process itself, in a namespace that its parent has made. Signal-safe.
 */
void host_signal_after_fork(void);

/*
 * There will be no ticks and no last words: the signals that kill by default
 * are left to the kernel, and so is the calling thread's mask. (Not the tick
 * signals: a late tick may still come. is_alone: no other thread has had a
 * timer, so what is pending of the present one can be dropped.) Signal-safe.
 */
void host_signal_leave(bool is_alone);

/* Is the process to die of sig, by our handler? Signal-safe. */
bool host_signal_would_kill(int sig);

/* Before that the hooks stay out of the way. Signal-safe. */
bool host_signal_is_started(void);

/*
 * rt_sigaction(2) as the host means it; new: NULL or what it wants. 0 or
 * -errno. Signal-safe.
 */
int host_disposition(int sig, const struct disposition *new,
		     struct disposition *old);

/* The same as libc has it. 0 or -errno. Signal-safe. */
int host_sigaction(int sig, const struct sigaction *act, struct sigaction *old);

/*
 * The set to give to the kernel in place of one by which the host blocks,
 * waits for or reads signals. Where it names the tick signal, SIGUSR1 is given
 * up to the host, while a private signal stays ours and is taken out.
 * Signal-safe.
 */
kernel_sigset host_sigset_claimed(kernel_sigset set);

/*
 * What is pending as the host knows it, where the kernel says pending: without
 * a tick that waits for a handler of the host's to end. Whether SIGUSR1 is a
 * tick's or the host's cannot be seen: it is given up to the host, and asked
 * for again. And with signals of faults that a thread keeps: it may have sent
 * them again since the kernel was asked, so that kept is sent_faults_pending()
 * from before that. Signal-safe.
 */
kernel_sigset host_pending(kernel_sigset pending, kernel_sigset kept);

#endif
