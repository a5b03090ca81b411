/*
 * The walker: turns and forks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walker.h"

#include <signal.h>
#include <sys/mman.h>

#include "base/atomic.h"
#include "sigsafe/memory.h"
#include "sigsafe/nap.h"
#include "sigsafe/other_stack.h"
#include "sigsafe/stack_touch.h"
#include "sigsafe/sys.h"
#include "sigsafe/thread.h"

#define STACK_BYTES (64u << 10)

/* How often the lock is tried for: a walk or two, and some more outside. */
#define SPINS_IN_HANDLER 500u
#define SPINS		 2000u

/* How often a fork looks whether a walk is over: for a second at least. */
#define FORK_LOOKS (NAP_YIELDS + NS_PER_S / NAP_NS)

/* Bit 0: a walk is under way. The rest: twice the number of forks under way. */
#define WALKING 1u
#define FORK	2u

static uint32_t state;

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
static bool is_kept_out_by_fork(uint32_t seen)
{
	return seen >= FORK && (!thread_self.in_fork || seen >= 2 * FORK);
}

static bool take_turn(unsigned spins, enum lost_reason *why)
{
	/* Relaxed: a guess, which the exchange puts right. */
	uint32_t seen = load_relaxed(&state);

	for (;;) {
		*why = LOST_WALK_FORK;
		if (is_kept_out_by_fork(seen))
			return false;
		/* Pairs with end_turn(). */
		if (!(seen & WALKING) &&
		    cas_acq_rel(&state, &seen, seen | WALKING))
			return true;
		*why = LOST_WALK_BUSY;
		if (!spins--)
			return false;
		machine_relax();
		seen = load_relaxed(&state);
	}
}

/* Pairs with take_turn() and walker_before_fork(). */
static void end_turn(void)
{
	sub_release(&state, WALKING);
}

/* All signals are blocked: nothing may leave a walk half done. */
static bool run(void (*work)(void *), void *argument, unsigned spins,
		enum lost_reason *why)
{
	if (!take_turn(spins, why))
		return false;
	thread_self.in_walk = true;
	other_stack_call(stack + STACK_BYTES, work, argument);
	thread_self.in_walk = false;
	end_turn();
	return true;
}

bool walker_run(void (*work)(void *), void *argument, bool in_handler,
		enum lost_reason *why)
{
	const kernel_sigset quiet = QUIET_MASK;
	kernel_sigset before;
	bool done;

	if (thread_self.in_walk) {
		*why = LOST_WALK_NESTED;
		return false;
	}
	if (in_handler)
		return run(work, argument, SPINS_IN_HANDLER, why);
	stack_touch(TOUCH_CHANGE_BYTES);
	sys_sigprocmask(SIG_SETMASK, &quiet, &before);
	done = run(work, argument, SPINS, why);
	sys_sigprocmask(SIG_SETMASK, &before, NULL);
	return done;
}

void walker_before_fork(void)
{
	thread_self.in_fork = true;
	add_seq_cst(&state, FORK);
	/*
	 * Acquire pairs with end_turn(). Bounded: a walk whose thread was
	 * killed never ends, and a fork must.
	 */
	for (unsigned i = 0; i < FORK_LOOKS; i++) {
		if (!(load_acquire(&state) & WALKING))
			return;
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
