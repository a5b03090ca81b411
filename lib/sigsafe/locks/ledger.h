/*
 * The ledger: who waits for one lock, since when, and what is not charged yet.
 *
 * For a lock with waiters it keeps n (waiters), S (sum of their start times)
 * and base (time of the last charge). An unlock at time t is charged
 *
 *   head waiter's exact wait + (n - 1) x average of the others = n x t - S
 *
 * and every waiter's start becomes t, so no nanosecond is charged twice. The
 * waiter that gets the lock at time a takes max(start, base) out of S; what
 * passed since was hand-off, for it and for the others behind it: nobody held
 * the lock. The same goes for the others where somebody gets it who did not
 * wait: who barges in does not pay for the time the lock was free. A waiter
 * that gives up at time a takes a out of S: its wait stays owed by the holder,
 * who pays at the next unlock.
 *
 * Where several may share the lock (readers) the first of them that gets it
 * ends the hand-off, and so S and base are those of a lock that is held. One
 * that gets it later takes only itself out: if it was let in by the same
 * release (start < base), its time since base was hand-off; if it came after
 * them, it had to wait for them, and its wait is owed by the last of them.
 * Who unlocks while others still hold the lock does not settle.
 *
 * So, in any wake order,
 *
 *   charged + hand-off + (n x now - S) = sum of all waiting up to now.
 *
 * Every change is one 16-byte compare and swap, with the clock read inside the
 * loop: no lock, so a signal handler, a longjmp or a killed thread can't leave
 * one behind. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOCKS_LEDGER_H
#define SIGSAFE_LOCKS_LEDGER_H

#include "base/atomic.h"
#include "base/format.h"

#define LEDGER_MAX_WAITERS ((UINT64_C(1) << LEDGER_N_BITS) - 1)

/*
 * Does nobody wait, and is nothing owed? Relaxed: whoever comes or gives up in
 * this very moment may be missed.
 */
static inline bool ledger_is_idle(const struct ledger *ledger)
{
	return !LEDGER_N(load_relaxed(&ledger->base_n)) &&
	       !load_relaxed(&ledger->sum);
}

/* Is it held by some who share it? Relaxed: as above. */
static inline bool ledger_is_shared(const struct ledger *ledger)
{
	return load_relaxed(&ledger->base_n) & LEDGER_SHARED;
}

struct ledger_charge {
	uint64_t ns;	  /* to be charged to the unlocker */
	uint64_t waiters; /* it found */
	uint64_t held_ns; /* since the last charge, or the first of them came */
	uint64_t at_ns;
};

struct ledger_leave {
	uint64_t until_ns;   /* the wait counts up to here */
	uint64_t handoff_ns; /* of this waiter and those behind it */
	bool is_owed; /* by who holds the lock: to be paid by an unlock */
};

/*
 * Enters a waiter. Returns its start time, or 0 when LEDGER_MAX_WAITERS wait
 * already; *waiters is their number with this one. Pairs with one of the four
 * below.
 */
uint64_t ledger_enter(struct ledger *ledger, uint64_t *waiters);

/* The same, where those who hold the lock share it. */
uint64_t ledger_enter_shared(struct ledger *ledger, uint64_t *waiters);

/* The waiter has the lock. */
struct ledger_leave ledger_acquired(struct ledger *ledger, uint64_t start_ns);

/* The waiter has the lock, which others may share. */
struct ledger_leave ledger_joined(struct ledger *ledger, uint64_t start_ns);

/* The waiter gave up (timed out): the holder owes its wait. */
struct ledger_leave ledger_gave_up(struct ledger *ledger);

/* It was no wait after all (an error): what was not charged yet is forgotten.*/
struct ledger_leave ledger_withdraw(struct ledger *ledger, uint64_t start_ns);

/*
 * Somebody has the lock without having waited: those who wait still have
 * waited for nobody since the last charge. Returns their hand-off.
 */
uint64_t ledger_barged(struct ledger *ledger);

/* The same, where it may share the lock with others: if not, they waited on. */
uint64_t ledger_barged_shared(struct ledger *ledger);

/* The holder unlocks. */
struct ledger_charge ledger_settle(struct ledger *ledger);

#endif
