/*
 * Waits beside a loop's.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/loops/beside.h"

#include "base/hash.h"
#include "sigsafe/loops/cold.h"
#include "sigsafe/loops/nested.h"
#include "sigsafe/loops/run.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/sys.h"

/* What has been waited counts for no more, on either side. */
#define MOST_NS ((int64_t)LOOP_MOVED_NS)

/*
 * One part in so many counts of what was waited at the loop before the first
 * wait beside it, and of what was waited beside it.
 */
#define BEFORE 8
#define BESIDE 2

static void add_own(struct loop *loop, int64_t waited_ns)
{
	loop->own_ns += waited_ns;
	if (loop->own_ns > MOST_NS)
		loop->own_ns = MOST_NS;
	if (loop->own_ns < -MOST_NS)
		loop->own_ns = -MOST_NS;
}

/* All that the thread has waited up to its run, from some time on. */
static uint64_t waited_ns(const struct thread *self)
{
	return self->run_begun_ns - self->record->busy_ns;
}

void beside_starts_anew(struct thread *self)
{
	self->loop->settled_ns = waited_ns(self);
}

/* What it has waited since was waited at its seat. */
static void settle(struct thread *self)
{
	struct loop *loop = self->loop;
	int64_t waited;

	if (!loop->settled_ns)
		loop->settled_ns = self->record->first_wait_ns;
	waited = (int64_t)(waited_ns(self) - loop->settled_ns);
	if (self->seat.for_answer)
		add_own(loop, waited / BESIDE);
	else
		add_own(loop, -waited / (loop->beside.call.pc ? 1 : BEFORE));
	beside_starts_anew(self);
}

static struct call_site *own_place(struct loop *loop, uintptr_t pc)
{
	return &loop->own_polls[hash_slot(pc, OWN_POLLS)];
}

bool beside_is_own(struct loop *loop, const struct call_site *call)
{
	const struct call_site *own = own_place(loop, call->pc);

	return own->pc == call->pc && own->sp == call->sp;
}

cold void beside_leaves(struct thread *self, const struct seat *next)
{
	struct loop *loop = self->loop;

	loop->beside_since_ns = 0;
	if (!self->run_begun_ns || !seat_differs(&self->seat, next))
		return;
	settle(self);
	/* Not of one that was come to from the loop that it is left for. */
	if (self->seat.for_answer && seat_differs(&loop->left, next))
		*own_place(loop, self->seat.call.pc) = self->seat.call;
}

/* May what the loop waits for be more than this one does? */
static bool waits_for_less(const struct seat *seat, const struct seat *loop)
{
	if (!seat->for_answer)
		return false;
	if (loop->epoll != SEAT_POLLS)
		return seat_is_open(loop);
	return !loop->for_answer && !(loop->set & seat->set);
}

cold bool beside_begins(struct thread *self, const struct seat *seat)
{
	struct loop *loop = self->loop;

	/* What has been told already can't be doubted. */
	if (self->looks || (self->ticks && !self->is_doubted) ||
	    cold_is(self) || nested_has_few_turns(self) ||
	    !waits_for_less(seat, &self->seat) ||
	    beside_is_own(loop, &seat->call))
		return false;
	settle(self);
	loop->beside = *seat;
	if (loop->own_ns > 0)
		return false;
	loop->beside_since_ns = clock_now_ns();
	loop->beside_of = self->seat;
	loop->beside_waits = self->record->waits;
	return true;
}

/* Is there an event to be had that the loop waits for? It stays there. */
static bool has_event(const struct seat *loop)
{
	struct pollfd fd = { loop->epoll, POLLIN, 0 };
	const struct timespec now = { 0 };

	return loop->epoll != SEAT_POLLS &&
	       sys6(SYS_ppoll, (long)&fd, 1, (long)&now, 0, 0, 0) == 1 &&
	       fd.revents == POLLIN;
}

cold bool beside_ends(struct thread *self, struct seat *own)
{
	struct loop *loop = self->loop;
	uint64_t waited;

	if (!self->run_begun_ns || !is_watched(self) || !beside_is(self))
		return false;
	waited = clock_now_ns() - loop->beside_since_ns;
	loop->beside_since_ns = 0;
	/* What has kept an event waiting was no idleness. */
	if (waited >= self->stall_ns && has_event(&self->seat))
		return false;
	*own = loop->beside;
	add_own(loop, (int64_t)(waited / BESIDE));
	return loop->own_ns > 0 && self->is_doubted;
}

/* By the same function, called from as deep. */
static bool is_at(const struct seat *seat, const struct seat *other)
{
	return !seat_differs(seat, other) && seat->call.sp == other->call.sp;
}

cold bool beside_was_own(struct thread *self)
{
	struct loop *loop = self->loop;

	if (!beside_was(self) || is_at(&self->seat, &loop->beside_of))
		return false;
	*own_place(loop, loop->beside.call.pc) = loop->beside.call;
	return true;
}
