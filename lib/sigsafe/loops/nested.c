/*
 * Nested waits.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/loops/nested.h"

#include "sigsafe/loops/beside.h"
#include "sigsafe/loops/cold.h"
#include "sigsafe/loops/run.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/walk/stack.h"

/* Of nested waits that have gone on for LOOP_MOVED_NS so many are a loop's. */
#define LOOP_MOVED_WAITS 10

bool nested_is_possible(void)
{
	const struct thread *self = &thread_self;

	return self->run_begun_ns && is_watched(self) &&
	       (self->record->waits || cold_is(self));
}

/*
 * A seat with fewer turns than these was perhaps where the program's start has
 * waited; it is lost to one that is waited in more often than it ever was, and
 * three times, and twice as often as any to which the thread has come back.
 */
#define FEW_TURNS	8
#define FEW_MOVED_WAITS 3

bool nested_has_few_turns(const struct thread *self)
{
	/* Who takes turns with others may seldom have one. */
	return run_turns(self) < FEW_TURNS && !self->takes_turns &&
	       !cold_is(self);
}

static bool has_moved(const struct thread *self, uint64_t for_ns)
{
	if (nested_has_few_turns(self) && self->nested >= FEW_MOVED_WAITS &&
	    self->nested > run_turns(self) &&
	    self->nested > 2 * self->loop->away)
		return true;
	return for_ns >= LOOP_MOVED_NS && self->nested >= LOOP_MOVED_WAITS;
}

/*
 * Where such waits are made: of the run that had most of them. Not of each, as
 * a stack costs more than a short wait: of the first, second, fourth and so on.
 */
static void tell_place(struct thread *self, enum blocking_call call,
		       const void *caller)
{
	struct thread_record *record = self->record;
	uint32_t n = self->nested;

	store_relaxed(&record->nested, record->nested + 1);
	if (n <= record->nested_most)
		return;
	store_relaxed(&record->nested_most, n);
	if (n & (n - 1))
		return;
	store_relaxed(&record->nested_call, call);
	store_relaxed(&record->nested_stack, stack_capture(NULL, caller));
}

cold bool nested_begin(enum blocking_call call, const void *caller,
		       uint64_t *now_ns)
{
	struct thread *self = &thread_self;

	*now_ns = clock_now_ns();
	if (!self->nested)
		self->loop->nested_since_ns = *now_ns;
	self->nested++;
	if (has_moved(self, *now_ns - self->loop->nested_since_ns)) {
		run_stops(RUN_LEFT);
		return false;
	}
	if (nested_has_few_turns(self) || beside_is(self))
		run_doubt(self);
	else
		tell_place(self, call, caller);
	thread_blocks(self, call, 0, *now_ns);
	return true;
}

cold void nested_end(void)
{
	struct thread *self = &thread_self;

	if (!self->run_begun_ns || !is_watched(self))
		return;
	/* What came before a tick is shared out. */
	evidence_blocked(self, self->blocked_call,
			 max_u64(self->loop->blocked_ns, self->shared_ns),
			 clock_now_ns());
	thread_blocks_no_more(self);
}

/*
 * Whatever call continues it, it is the one that the host has made: its name,
 * and its stack, which is that of the first tick in the wait.
 */
void nested_look(struct thread *self, const ucontext_t *uc)
{
	if (self->loop->blocked_stack)
		return;
	evidence_pause(self);
	thread_blocks(self, self->blocked_call, stack_capture(uc, NULL),
		      self->loop->blocked_ns);
	evidence_resume(self);
}

/*
 * It may have come between two calls of the wait, which is one to the host.
 * What it is late by is told by its evidence: the wait may have been over.
 */
void nested_tick(struct thread *self, uint64_t now_ns)
{
	struct slice *slice = &self->loop->slice;
	uint64_t since_ns = max_u64(self->loop->blocked_ns, self->shared_ns);

	self->loop->stack = self->loop->blocked_stack;
	slice->state = CALL_OUTSIDE;
	slice->call = slice->own_call = self->blocked_call;
	evidence_blocked(self, self->blocked_call, since_ns,
			 max_u64(since_ns, now_ns - slice->late_ns));
}
