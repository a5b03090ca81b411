/*
 * The walker: turns and forks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walk/walker.h"

#include <signal.h>
#include <sys/mman.h>

#include "base/atomic.h"
#include "sigsafe/live.h"
#include "sigsafe/os/holder.h"
#include "sigsafe/os/memory.h"
#include "sigsafe/os/nap.h"
#include "sigsafe/os/sys.h"
#include "sigsafe/signals/quiet.h"
#include "sigsafe/stacks/other_stack.h"
#include "sigsafe/stacks/stack_touch.h"
#include "sigsafe/thread.h"

#define STACK_BYTES (64u << 10)

/* How often the lock is tried for: a walk or two, and some more outside. */
#define SPINS_IN_HANDLER 500u
#define SPINS		 2000u

/* How often a fork looks whether a walk is over: for a second at least. */
#define FORK_LOOKS (NAP_YIELDS + NS_PER_S / NAP_NS)

/*
 * The lower half: the thread that walks (sigsafe/os/holder.h), or 0. The upper
 * one: the number of forks under way.
 */
#define WALKER(state) ((uint32_t)(state))
#define FORK	      (UINT64_C(1) << 32)

static uint64_t state;

/* Below it an unreadable page. Written by walker_start(), in the constructor.
 */
static char *stack;

int walker_start(void)
{
	long at = sys6(SYS_mmap, 0, STACK_BYTES + PAGE_BYTES,
		       PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);

	if (sys_failed(at))
		return (int)at;
	stack = (char *)at + PAGE_BYTES;
	return (int)sys3(SYS_mprotect, at, PAGE_BYTES, PROT_NONE);
}

const void *walker_guard_page(void)
{
	return stack - PAGE_BYTES;
}

/*
 * A fork would copy a walk half done. But one that the only forking thread
 * makes itself is over before it goes on with its fork.
 */
static bool is_kept_out_by_fork(uint64_t seen)
{
	return seen >= FORK && (!thread_self.in_fork || seen >= 2 * FORK);
}

/* One that was killed in its walk ends it no more. */
static void end_of_the_gone(uint64_t seen)
{
	if (holder_is_gone(WALKER(seen)) &&
	    cas_acq_rel(&state, &seen, seen - WALKER(seen)))
		live_count_lost(LOST_WALK_BUSY);
}

static bool take_turn(uint32_t self, unsigned spins, enum lost_reason *why)
{
	/* Relaxed: a guess, which the exchange puts right. */
	uint64_t seen = load_relaxed(&state);

	for (;;) {
		*why = LOST_WALK_FORK;
		if (is_kept_out_by_fork(seen))
			return false;
		/* Pairs with end_turn(). */
		if (!WALKER(seen) && cas_acq_rel(&state, &seen, seen | self))
			return true;
		*why = LOST_WALK_BUSY;
		if (!spins--)
			break;
		machine_relax();
		seen = load_relaxed(&state);
	}
	/* For the next one. */
	if (WALKER(seen))
		end_of_the_gone(seen);
	return false;
}

/* Pairs with take_turn() and walker_before_fork(). */
static void end_turn(uint32_t self)
{
	uint64_t seen = load_relaxed(&state);

	while (WALKER(seen) == self && !cas_acq_rel(&state, &seen, seen - self))
		;
}

/* All signals are blocked: nothing may leave a walk half done. */
static bool run(void (*work)(void *), void *argument, unsigned spins,
		enum lost_reason *why)
{
	uint32_t self = holder_self();

	/* If it is noted of itself, and not by a guest in its memory. */
	if (thread_self.in_walk && WALKER(load_relaxed(&state)) == self) {
		*why = LOST_WALK_NESTED;
		return false;
	}
	if (!take_turn(self, spins, why))
		return false;
	thread_self.in_walk = true;
	other_stack_call(stack + STACK_BYTES, work, argument);
	thread_self.in_walk = false;
	end_turn(self);
	return true;
}

bool walker_run(void (*work)(void *), void *argument, bool in_handler,
		enum lost_reason *why)
{
	struct quiet before;
	bool done;

	if (in_handler)
		return run(work, argument, SPINS_IN_HANDLER, why);
	stack_touch(TOUCH_CHANGE_BYTES);
	before = quiet_begin();
	done = run(work, argument, SPINS, why);
	quiet_end(&before);
	return done;
}

void walker_before_fork(void)
{
	thread_self.in_fork = true;
	add_seq_cst(&state, FORK);
	/*
	 * Acquire pairs with end_turn(). Bounded: a walk whose thread was
	 * stopped does not end, and a fork must.
	 */
	for (unsigned i = 0; i < FORK_LOOKS; i++) {
		uint64_t seen = load_acquire(&state);

		if (!WALKER(seen))
			return;
		if (i == NAP_YIELDS)
			end_of_the_gone(seen);
		nap(i);
	}
}

void walker_after_fork_in_parent(void)
{
	sub_release(&state, FORK);
	thread_self.in_fork = false;
}

void walker_after_fork_in_child(void)
{
	/* No other thread: nobody walks, nobody forks. */
	store_release(&state, 0);
	thread_self.in_fork = false;
}
