/*
 * The tick signal and its moves.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/tick_signal.h"

#include "sigsafe/disposition.h"
#include "sigsafe/live.h"

/*
 * The private ones, from the far end: programs that use real-time signals
 * count up from SIGRTMIN (34), or take SIGRTMAX (64) and its neighbour.
 */
#define PRIVATE_FIRST 62
#define PRIVATE_LAST  35
#define PRIVATE_SET                                                            \
	((SIGNAL_BIT(PRIVATE_FIRST) << 1) - SIGNAL_BIT(PRIVATE_LAST))

/* A set that names more of the private ones means every signal. */
#define FEW 8

struct tick tick_now;

static kernel_sigset claimed; /* grows only; guarded by disposition_lock() */

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
	/*
	 * Pairs with the acquire in tick_signal_generation(), and comes before
	 * timer_stop_others() looks at any timer.
	 */
	store_seq_cst(&tick_now.generation, tick_now.generation + 1);
}

void tick_signal_start(int chosen, kernel_sigset blocked)
{
	if (chosen && !(blocked & SIGNAL_BIT(chosen)) && is_free(chosen))
		move(chosen);
	else
		move(choose_private());
}

static bool means_every_signal(kernel_sigset set)
{
	int named = 0;

	for (set &= PRIVATE_SET; set && named <= FEW; set &= set - 1)
		named++;
	return named > FEW;
}

kernel_sigset tick_signal_claims(kernel_sigset set)
{
	kernel_sigset claims = set & (PRIVATE_SET | tick_signal_set());

	if (means_every_signal(set))
		claims &= ~PRIVATE_SET;
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
