/*
 * The tick signal: which one it is now. The host has the first right to each:
 * where it claims the tick signal, the tick signal moves on. Owns the number,
 * its generation, and what the host has claimed.
 *
 * SIGUSR1 (or the one the user chose) is given up as soon as the host handles,
 * ignores, blocks or waits for it. From then on it is a private signal: a
 * real-time one that the host has shown no wish for. Many programs block or
 * wait for "every signal"; a private one is given up only for a handler, or
 * for a set that means it: one that lacks many real-time signals.
 *
 * Where the host blocks every signal the kernel is told to block all but the
 * private one, which stays open for ticks. Nothing need be remembered of that:
 * a mask of the kernel's that has every signal but the open ones is one by
 * which the host blocks that as well. So it is right wherever masks go: into
 * new threads and forked children, through siglongjmp(3) and setcontext(3). For
 * who would leave open just that signal means it, and is given it.
 *
 * A signal that is given up is still open where it was: in other threads, and
 * in masks put by. So it goes on to be taken for blocked there, unless the
 * thread itself opens it (thread_self.opened), and is put off if it comes. But
 * a mask leaves open one for ticks: where there are more of their past and
 * present, all but the newest are open as the host means them to be.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_SIGNALS_TICK_SIGNAL_H
#define SIGSAFE_SIGNALS_TICK_SIGNAL_H

#include "base/atomic.h"
#include "sigsafe/os/sys.h"

/* Written by the mover, which holds disposition_lock(). */
struct tick {
	int32_t signal;	     /* 0: none is left */
	kernel_sigset open;  /* though the host may block it; grows only */
	uint32_t generation; /* stored last */
};

extern struct tick tick_now;

/* The tick signal now, or 0: the host uses every one. Signal-safe. */
static inline int tick_signal(void)
{
	/* Relaxed: whoever makes a timer has asked for the generation first. */
	return load_relaxed(&tick_now.signal);
}

/*
 * Grows each time the tick signal moves: a timer made under another generation
 * is dead and must be made anew. To be asked before tick_signal(), so that a
 * timer never looks younger than its signal. Signal-safe.
 */
static inline uint32_t tick_signal_generation(void)
{
	/* Acquire pairs with the release in move(). */
	return load_acquire(&tick_now.generation);
}

/* The set of the tick signal alone, or none. Signal-safe. */
static inline kernel_sigset tick_signal_set(void)
{
	int sig = tick_signal();

	return sig ? SIGNAL_BIT(sig) : 0;
}

/*
 * Private signals that are open although the host may have them blocked, with
 * every other: the tick signal's, and those of its past.
 * Signal-safe.
 */
static inline kernel_sigset tick_signals_open(void)
{
	/* Relaxed: see move(). */
	return load_relaxed(&tick_now.open);
}

/* What the host has blocked where the kernel has kernels. Signal-safe. */
kernel_sigset mask_of_host(kernel_sigset kernels);

/*
 * Of the signals that are kept open: those that a mask of the host's means to
 * leave open where it blocks every other. Signal-safe.
 */
kernel_sigset mask_leaves_open(kernel_sigset hosts);

/* What the kernel is to block where the host wants hosts. Signal-safe. */
kernel_sigset mask_of_kernel(kernel_sigset hosts);

/*
 * Chooses the first: chosen, or where that is taken or blocked (or 0) a private
 * one. Under disposition_lock().
 */
void tick_signal_start(int chosen, kernel_sigset blocked);

/*
 * Of a set the host blocks or waits for: what it claims anew. Of one that means
 * every signal, that is what it lacks. Signal-safe.
 */
kernel_sigset tick_signal_claims(kernel_sigset set);

/* The host claims these. True: it moved. Under disposition_lock(). */
bool tick_signal_claim(kernel_sigset claims);

/*
 * Somebody sent sig, which the host has blocked with every other: it is of use
 * after all. It goes on to be taken for blocked there. Under
 * disposition_lock().
 */
void tick_signal_was_sent(int sig);

/*
 * Would a tick by sig kill? A child that was made with its handlers cleared
 * (clone3(2)) has lost ours, and of the host's it has none. Signal-safe.
 */
bool tick_signal_kills(int sig);

/* There will be no ticks: none is kept open. Under disposition_lock(). */
void tick_signal_end(void);

#endif
