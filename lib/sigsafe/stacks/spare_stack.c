/*
 * Spare stacks: as many as handlers can be expected to be in at one instant.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/stacks/spare_stack.h"

#include <signal.h>
#include <sys/mman.h>

#include "base/atomic.h"
#include "sigsafe/live.h"
#include "sigsafe/os/holder.h"
#include "sigsafe/os/memory.h"
#include "sigsafe/os/nap.h"
#include "sigsafe/os/sys.h"
#include "sigsafe/signals/fault_mask.h"
#include "sigsafe/signals/quiet.h"
#include "sigsafe/stacks/alternate_stack.h"
#include "sigsafe/stacks/other_stack.h"
#include "sigsafe/stacks/own_stack.h"
#include "sigsafe/stacks/stack_touch.h"

#define STACKS	    8u
#define STACK_BYTES (16u << 10)

/* With the unreadable page below it. */
#define EACH_BYTES (PAGE_BYTES + STACK_BYTES)

/*
 * How often one is tried for: whoever has them needs some microseconds for what
 * it does, and, once another has its processor, to be let run.
 */
#define SPINS 500u
#define NAPS  2000u

/*
 * Each an unreadable page and the stack above it; NULL: none. Written by
 * spare_stack_start(), before the first tick.
 */
static char *stacks;

/* Of each the thread that uses it (sigsafe/os/holder.h); 0: none. */
static uint32_t holders[STACKS];

void spare_stack_start(void)
{
	long at = sys6(SYS_mmap, 0, (long)(STACKS * EACH_BYTES),
		       PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);

	if (at < 0)
		return;
	/* Without the unreadable pages they are as good, if nothing is wrong.
	 */
	for (unsigned i = 0; i < STACKS; i++)
		sys3(SYS_mprotect, (size_t)at + i * EACH_BYTES, PAGE_BYTES,
		     PROT_NONE);
	stacks = (char *)at;
}

/* Pairs with the release in give_back(). */
static bool take_this(uint32_t *holder, uint32_t from, uint32_t self)
{
	return cas_acq_rel(holder, &from, self);
}

/* The end of one that is now the caller's, or NULL. */
static char *take(uint32_t self)
{
	for (unsigned i = 0; i < STACKS; i++)
		/* Relaxed: a guess, which the exchange puts right. */
		if (!load_relaxed(&holders[i]) &&
		    take_this(&holders[i], 0, self))
			return stacks + (i + 1) * EACH_BYTES;
	return NULL;
}

/* As take(), of one whose thread is no more: nobody else gives it back. */
static char *inherit(uint32_t self)
{
	for (unsigned i = 0; i < STACKS; i++) {
		uint32_t holder = load_relaxed(&holders[i]);

		if (!holder || !holder_is_gone(holder) ||
		    !take_this(&holders[i], holder, self))
			continue;
		live_count_lost(LOST_WALK_BUSY);
		return stacks + (i + 1) * EACH_BYTES;
	}
	return NULL;
}

/* As take(), in the time that is given. */
static char *take_in_time(void)
{
	uint32_t self = holder_self();
	char *end = take(self);

	for (unsigned i = 0; !end && i < SPINS; i++) {
		machine_relax();
		end = take(self);
	}
	for (unsigned i = 0; !end && i < NAPS; i++) {
		nap(i);
		end = i == NAP_YIELDS ? inherit(self) : take(self);
	}
	return end;
}

static void give_back(const char *end)
{
	/* Pairs with take_this(). */
	store_release(&holders[(size_t)(end - stacks) / EACH_BYTES - 1], 0);
}

/* How much of the spare stack that sp is on is left; 0: it is on none. */
static uintptr_t spare_room(uintptr_t sp)
{
	uintptr_t above = sp - (uintptr_t)stacks;
	uintptr_t in_one = above % EACH_BYTES;

	if (!stacks || above >= STACKS * EACH_BYTES || in_one < PAGE_BYTES)
		return 0;
	return in_one - PAGE_BYTES;
}

/* With room on it. */
static bool is_on_ours(uintptr_t sp)
{
	return alternate_stack_holds(&thread_self, sp) ||
	       spare_room(sp) >= WORK_BYTES;
}

static bool call_on_spare(void (*work)(void *), void *argument)
{
	char *end;

	if (!stacks) {
		work(argument);
		return true;
	}
	end = take_in_time();
	if (!end)
		return false;
	other_stack_call(end, work, argument);
	give_back(end);
	return true;
}

bool spare_stack_call(void (*work)(void *), void *argument)
{
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0);

	if (!is_on_ours(sp) && own_stack_room(sp) < WORK_BYTES)
		return call_on_spare(work, argument);
	work(argument);
	return true;
}

/*
 * Nothing of the host's is on the alternate stack now: it may well be used, but
 * not by a guest beside the thread whose it is, and which may be ticked.
 */
static bool call_elsewhere(void (*work)(void *), void *argument)
{
	struct thread *self = &thread_self;

	if (!alternate_stack_is_set(self))
		return call_on_spare(work, argument);
	machine_call_on(self->alternate_stack + ALTERNATE_STACK_BYTES, work,
			argument);
	return true;
}

/* What a hook does, and whether it first shows the place it was called at. */
struct errand {
	const struct own_place *place; /* NULL: there is nothing to show */
	void (*work)(void *);
	void *argument;
};

static void show_and_work(void *argument)
{
	const struct errand *errand = argument;

	if (errand->place)
		own_place_show(errand->place);
	errand->work(errand->argument);
}

/* Signals are blocked. */
static inline bool call_where_it_may(const struct own_place *place,
				     void (*work)(void *), void *argument)
{
	struct errand errand = { place, work, argument };

	if (place && own_place_is_known(place)) {
		work(argument);
		return true;
	}
	return call_elsewhere(show_and_work, &errand);
}

bool spare_stack_call_by_hook(const struct own_place *place,
			      void (*work)(void *), void *argument)
{
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
	struct quiet before;
	bool done;

	if (place && likely(fault_mask_is_open()) &&
	    likely(own_place_is_known(place))) {
		work(argument);
		return true;
	}
	/*
	 * On one of ours all signals are blocked but those of faults. Once
	 * seccomp may kill for the question no stack is walked.
	 */
	if (is_on_ours(sp) ||
	    (live_is_left() && own_stack_room(sp) >= WORK_BYTES)) {
		work(argument);
		return true;
	}
	stack_touch(thread_self.alternate_stack ? TOUCH_ALTERNATE_BYTES
						: TOUCH_CHANGE_BYTES);
	before = quiet_begin();
	fault_mask_learn(before.mask);
	done = call_where_it_may(place, work, argument);
	quiet_end(&before);
	return done;
}

void spare_stack_reset(void)
{
	for (unsigned i = 0; i < STACKS; i++)
		store_release(&holders[i], 0);
}
