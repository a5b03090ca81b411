/*
 * Signal dispositions, twice: what the kernel does at a signal, and the shadow,
 * what the host asked for. Owns the shadow, the lock of both, and the set of
 * signals that keep our handler while the host leaves them to their default.
 *
 * Where the host has a handler the kernel has signal_entry() with the host's
 * own mask and flags, so it is the kernel that keeps them. One flag is ours to
 * keep: SA_RESETHAND, because a late tick must not use the host's handler up.
 *
 * Whatever the kernel has that is not signal_entry() is the truth: a raw system
 * call, or libc within system(3), may have put it there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_SIGNALS_DISPOSITION_H
#define SIGSAFE_SIGNALS_DISPOSITION_H

#include <signal.h>
#include <string.h>

#include "base/atomic.h"
#include "sigsafe/os/sys.h"

#define SIGNALS 64 /* 1 to 64 */

typedef void signal_handler(int sig, siginfo_t *info, void *context);

/* As rt_sigaction(2) takes it. */
struct disposition {
	signal_handler *handler;
	uint64_t flags;
	void (*restorer)(void);
	kernel_sigset mask;
};

/* SIG_DFL and SIG_IGN. */
#define DEFAULT ((signal_handler *)0)
#define IGNORE	((signal_handler *)1)

/*
 * Called once, from the constructor, before the others. entry: the kernel's
 * handler from now on. libcs: libc's sigaction(2), which knows the way back
 * from a handler. Leaves errno alone.
 */
typedef int sigaction_function(int sig, const struct sigaction *act,
			       struct sigaction *old);
void disposition_start(signal_handler *entry, sigaction_function *libcs);

/* To and from the host's terms, as libc translates them. Signal-safe. */
struct disposition disposition_from(const struct sigaction *act);
static inline void disposition_to(const struct disposition *disposition,
				  struct sigaction *act)
{
	act->sa_sigaction = disposition->handler;
	act->sa_flags = (int)disposition->flags;
	act->sa_restorer = disposition->restorer;
	memset(&act->sa_mask, 0, sizeof(act->sa_mask));
	memcpy(&act->sa_mask, &disposition->mask, sizeof(disposition->mask));
}

/* Locks both tables; what the set and query functions below ask for. */
void disposition_lock(uint32_t memory);
void disposition_unlock(void);

/*
 * The host asks for *new (NULL: it only asks) and is told *old. 0 or -errno.
 * Locked.
 */
int disposition_set(int sig, const struct disposition *new,
		    struct disposition *old);

/*
 * The same for a guest in its parent's memory, whose dispositions are its own
 * and soon end: the shadow stays its parent's. A default that we stand in for
 * goes on to be that: where clone(2) was told to share the dispositions, the
 * parent's ticks would kill. Not locked. Signal-safe.
 */
int disposition_set_of_guest(int sig, const struct disposition *new,
			     struct disposition *old);

/* Is it the host's wish that sig acts by default? Locked. */
bool disposition_is_default(int sig);

/* Does our handler stand in for a default? Not locked. Signal-safe. */
bool disposition_is_stood_in(int sig);

/* Our handler stands in from now on while the host wants SIG_DFL. Locked. */
void disposition_stand_in(int sig);

/* From now on the kernel itself acts on it by default. Locked. */
void disposition_stand_back(int sig);

/* After live_leave(): SA_RESETHAND is the kernel's to keep. Locked. */
void disposition_stand_back_from_one_shots(void);

/*
 * For a signal that reached the handler: what the host wants called, or
 * DEFAULT or IGNORE. A one-shot handler is handed out once. Signal-safe.
 */
signal_handler *disposition_take(int sig);

/* The signals that the host has set with SA_RESTART. */
extern kernel_sigset disposition_restarting;

/* Has the host's handler SA_RESTART? Not locked. Signal-safe. */
static inline bool disposition_restarts(int sig)
{
	return load_relaxed(&disposition_restarting) & SIGNAL_BIT(sig);
}

/* The signals that the host ignores; inherited, if we stand in for them. */
extern kernel_sigset disposition_ignoring;

/* Does the kernel kill for a fault, whatever the mask? Signal-safe. */
static inline bool disposition_ignores_faults(void)
{
	return load_relaxed(&disposition_ignoring) & FAULT_SIGNALS;
}

/* Has the host a handler? Not locked. Signal-safe. */
bool disposition_is_handled(int sig);

/*
 * Whatever the host wants, the kernel acts on sig by default: as the kernel
 * itself does where it kills. Not locked. Signal-safe.
 */
void disposition_reset(int sig);

/*
 * Gives sig to the kernel to act on by default, if that is the host's wish, and
 * takes it back. Not locked. Signal-safe.
 */
void disposition_let_go(int sig);
void disposition_take_back(int sig);

#endif
