/*
 * The tick signal and its moves.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/signals/tick_signal.h"

#include "sigsafe/live.h"
#include "sigsafe/signals/disposition.h"
#include "sigsafe/thread.h"

/*
 * The private ones, from the far end: programs that use real-time signals
 * count up from SIGRTMIN (34), or take SIGRTMAX (64) and its neighbour.
 */
#define PRIVATE_FIRST 62
#define PRIVATE_LAST  35
#define PRIVATE_SET                                                            \
	((SIGNAL_BIT(PRIVATE_FIRST) << 1) - SIGNAL_BIT(PRIVATE_LAST))

/* A set that lacks no more of the private ones means every signal. */
#define FEW 8

struct tick tick_now;

static kernel_sigset claimed; /* grows only; guarded by disposition_lock() */

/* The first of tick_now.open, or 0; the others came in falling order. */
static kernel_sigset eldest;

static bool is_free(int sig)
{
	return !(claimed & SIGNAL_BIT(sig)) && disposition_is_default(sig);
}

static int choose_private(void)
{
	for (int sig = PRIVATE_FIRST; sig >= PRIVATE_LAST; sig--) {
		if (is_free(sig))
			return sig;
	}
	return 0;
}

static void move(int sig)
{
	/* First the handler: a tick without one would kill. */
	if (sig)
		disposition_stand_in(sig);
	else
		live_count_lost(LOST_NO_SIGNAL);
	store_relaxed(&tick_now.signal, sig);
	if (!tick_now.open)
		store_relaxed(&eldest, tick_signal_set() & PRIVATE_SET);
	/* Relaxed: a mask is told by whoever has made the move, or before it.
	 */
	store_relaxed(&tick_now.open,
		      tick_now.open | (tick_signal_set() & PRIVATE_SET));
	/*
	 * Pairs with the acquire in tick_signal_generation(), and comes before
	 * timer_stop_others() looks at any timer.
	 */
	store_seq_cst(&tick_now.generation, tick_now.generation + 1);
}

/* What is kept open does not count: the host's mask or the kernel's, as well.
 */
static bool means_every_signal(kernel_sigset set)
{
	kernel_sigset lacking = PRIVATE_SET & ~set & ~tick_signals_open();
	int n = 0;

	for (; lacking && n <= FEW; lacking &= lacking - 1)
		n++;
	return n <= FEW;
}

static kernel_sigset newest_of(kernel_sigset open)
{
	kernel_sigset later = open & ~load_relaxed(&eldest);

	return later ? later & -later : open;
}

kernel_sigset mask_of_host(kernel_sigset kernels)
{
	kernel_sigset open =
		tick_signals_open() & ~kernels & ~thread_self.opened;

	return open && means_every_signal(kernels) ? kernels | newest_of(open)
						   : kernels;
}

kernel_sigset mask_leaves_open(kernel_sigset hosts)
{
	return means_every_signal(hosts) ? tick_signals_open() & ~hosts : 0;
}

kernel_sigset mask_of_kernel(kernel_sigset hosts)
{
	kernel_sigset tick = tick_signals_open() & tick_signal_set() & hosts;

	return tick && means_every_signal(hosts) ? hosts & ~tick : hosts;
}

/* Many a child is born with every signal blocked; with few others, for use. */
static kernel_sigset meant_by(kernel_sigset blocked)
{
	return PRIVATE_SET & (means_every_signal(blocked) ? ~blocked : blocked);
}

void tick_signal_start(int chosen, kernel_sigset blocked)
{
	claimed = meant_by(blocked);
	if (chosen && !(blocked & SIGNAL_BIT(chosen)) && is_free(chosen))
		move(chosen);
	else
		move(choose_private());
}

kernel_sigset tick_signal_claims(kernel_sigset set)
{
	kernel_sigset claims = meant_by(set) | (set & tick_signal_set());

	if (means_every_signal(set))
		claims &= ~(set & PRIVATE_SET);
	/* Relaxed: who reads an old set asks again under the lock. */
	return claims & ~load_relaxed(&claimed);
}

bool tick_signal_claim(kernel_sigset claims)
{
	store_relaxed(&claimed, claimed | claims);
	if (!(claimed & tick_signal_set()))
		return false;
	move(choose_private());
	return true;
}

void tick_signal_was_sent(int sig)
{
	store_relaxed(&claimed, claimed | SIGNAL_BIT(sig));
	if (sig == tick_signal())
		move(choose_private());
}

bool tick_signal_kills(int sig)
{
	struct disposition now;

	return !sys4(SYS_rt_sigaction, sig, NULL, &now,
		     sizeof(kernel_sigset)) &&
	       now.handler == DEFAULT;
}

void tick_signal_end(void)
{
	store_relaxed(&tick_now.open, 0);
}
