/*
 * Parking: who parks where that was taught.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/loops/park.h"

#include "base/atomic.h"
#include "sigsafe/live.h"
#include "sigsafe/loops/cold.h"
#include "sigsafe/loops/park_lessons.h"
#include "sigsafe/loops/park_places.h"
#include "sigsafe/loops/run.h"
#include "sigsafe/loops/turns.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/walk/stack.h"

/* A loop that makes so many waits between two visits to a place parks there. */
#define MANY_WAITS 10

/* Without others who take turns no place is learnt late, after so often. */
#define LATE_TRIES 256

/*
 * The calls from where the thread blocks up to the function that its loop's
 * wait was called in, directly or by another one: with the place of the call in
 * there, as a callback that is inlined beside the parking blocks at another.
 */
static struct stack_id
calls_in_loop(struct thread *self, const struct call_site *block, uintptr_t end)
{
	uintptr_t pc;
	struct stack_id calls = stack_calls(block, end, PARK_DEPTH, NULL, &pc);

	/* Frames of two functions that are called in a third end alike. */
	if (!calls.depth || park_is_in_wait(self, pc))
		return calls;
	return stack_calls(block, end + 1, PARK_DEPTH, NULL, NULL);
}

/* The way to its wait, or to the one beside which it parks. */
static const struct wait_way *way_of(const struct thread *self)
{
	return cold_is(self) ? turn_way_calls(self->loop->cold_turn)
			     : &self->loop->way;
}

/*
 * Where nobody has taught, since all had waited before they first parked: from
 * the first to be found beside its wait a place is learnt if threads take turns
 * at that. Who has only looked for events, in place of waiting, knows of none
 * but what was taught as threads began.
 */
static cold int32_t late_teacher(struct thread *self,
				 const struct call_site *block)
{
	uint64_t hash;
	int32_t teacher;
	bool has_seat = turns_have_seat(self);

	if (self->loop->late_tries == LATE_TRIES || !(has_seat || self->looks))
		return TEACHER_NOBODY;
	has_seat = has_seat && turns_were_taken(self, self->block_ns);
	/* Counted as one more in vain, until it is not. */
	self->loop->late_tries += !has_seat;
	if (!has_seat && !self->looks)
		return TEACHER_NOBODY;
	hash = park_late_hash(block);
	teacher = hash ? park_places_teacher(hash) : TEACHER_NOBODY;
	if (teacher != TEACHER_NOBODY) {
		self->loop->late_tries = 0;
		/* It is no more where its teacher alone was seen. */
		if (has_seat)
			park_places_enter(hash, thread_identify()->tid);
		return teacher;
	}
	if (!has_seat || self->loop->was_taught ||
	    !way_beside(way_of(self), block))
		return teacher;
	park_places_enter(hash, thread_identify()->tid);
	return thread_identify()->tid;
}

/*
 * Who taught that the thread's place is one to park. Where threads take turns
 * they may have come there in several ways: the calls up to the loop are
 * enough.
 */
static int32_t teacher_here(struct thread *self, const struct call_site *block)
{
	int32_t teacher = TEACHER_NOBODY, of_stack;
	struct stack_id calls;
	uintptr_t end = park_wait_end(self);
	bool takes_turns;

	if (!end)
		return TEACHER_NOBODY;
	calls = calls_in_loop(self, block, end);
	if (calls.depth)
		teacher = park_places_teacher(calls.hash);
	if (teacher == TEACHER_NOBODY)
		return late_teacher(self, block);
	takes_turns = turns_were_taken(self, self->block_ns);
	if (takes_turns && self->loop->was_taught)
		return teacher;
	of_stack = park_teacher_of_stack(block);
	if (!takes_turns)
		return of_stack;
	self->loop->was_taught = of_stack != TEACHER_NOBODY;
	/* It is no more where its teacher alone may wait in each turn. */
	if (self->loop->was_taught)
		park_teach_too(block);
	return teacher;
}

/*
 * Has it turned a loop since it was there? Where it sleeps that is no sign of a
 * pool: callbacks sleep, and in Python all by the same calls.
 */
static bool has_turned(const struct thread *self)
{
	return self->block_end != BLOCK_SLEEPS &&
	       self->record->waits - self->loop->waits_there >= MANY_WAITS;
}

/*
 * At a place that nobody else has taught: a pool of its own, or where it waits
 * in each turn of its loop?
 */
static bool is_own_pool(struct thread *self)
{
	return self->parks || has_turned(self) ||
	       park_waits_for_answers(self) ||
	       turns_were_taken(self, self->block_ns);
}

/* Has the thread parked, in the place that was taught by teacher? */
static bool is_parked(struct thread *self, int32_t teacher)
{
	/* A tick since then has seen that it is not. */
	if (teacher == TEACHER_NOBODY || self->shared_ns > self->block_ns)
		return false;
	return teacher == TEACHER_SEVERAL ||
	       (teacher != thread_identify()->tid &&
		self->block_end == BLOCK_BY_OTHERS) ||
	       is_own_pool(self);
}

void park_begin_slowly(struct call_site call, enum block_end end)
{
	struct thread *self = &thread_self;

	/* It may be found to have been cold, as it comes back. */
	bool may_be_cold = self->lessons < PARK_LESSONS && end != BLOCK_SOON;

	self->parked = false;
	if (may_be_cold)
		park_learn(self, &call);
	if (!self->run_begun_ns && !may_be_cold)
		return;
	if (unlikely(self->looks) && end != BLOCK_SOON)
		park_learn_late(self, &call);
	self->block_end = end;
	self->block_ns = clock_now_ns();
	self->block = call;
}

/* It has blocked in a run, and no tick has come, or none found it parked. */
static bool parks(struct thread *self, const struct call_site *block)
{
	int32_t teacher;
	bool is_idle;

	if (!self->run_begun_ns || !is_watched(self))
		return false;
	teacher = teacher_here(self, block);
	is_idle = is_parked(self, teacher);
	if (teacher != TEACHER_NOBODY)
		self->loop->waits_there = self->record->waits;
	if (is_idle)
		run_parks(self->block_ns);
	return is_idle;
}

/*
 * It was in a callback, and a tick has waited to know: it comes now. It finds
 * nothing of what the thread was in until now, so that is told.
 */
static cold void let_tick(struct thread *self)
{
	uint32_t call = self->futex_call ? self->futex_call : CALL_FUTEX;

	if (!self->run_begun_ns || !is_watched(self))
		return;
	if (!self->lock)
		evidence_blocked(self, call,
				 max_u64(self->block_ns, self->shared_ns),
				 clock_now_ns());
	run_arm(self, self->run_begun_ns);
}

/*
 * Is it idle? From here on a tick of this run waits, until woken_run is 0: it
 * would find a thread that is parked no more, in a run that is not over yet.
 */
static bool settle(struct thread *self)
{
	struct call_site block = self->block;

	self->tick_waits = false;
	self->woken_run = self->run_begun_ns;
	*(volatile uintptr_t *)&self->block.pc = 0;
	return self->parked || parks(self, &block);
}

void park_at_once(struct call_site call, enum block_end end)
{
	struct thread *self = &thread_self;

	park_begin_slowly(call, end);
	if (!self->block.pc)
		return;
	self->parked = settle(self);
	self->block = call;
	self->woken_run = 0;
	if (unlikely(self->tick_waits && !self->parked))
		run_arm(self, self->run_begun_ns);
}

/* Which of the places where threads park beside their wait it is. */
static void note_place(struct thread *self, const struct call_site *block)
{
	struct loop *loop = self->loop;

	if (!loop->seat_turn || cold_is(self) || loop->parts_sp == block->sp)
		return;
	loop->parts_sp = block->sp;
	loop->parts_after = way_beside(&loop->way, block);
	if (loop->parts_after)
		turn_way_note_place(loop->seat_turn, loop->parts_after);
}

static void resume(struct thread *self, const struct call_site *block,
		   bool had_run)
{
	self->parked = false;
	if (is_watched(self))
		note_place(self, block);
	if (cold_comes_back(self, block, had_run))
		run_resumes();
}

void park_end_slowly(void)
{
	struct thread *self = &thread_self;
	struct call_site block = self->block;
	bool had_run = self->run_begun_ns || self->parked;
	bool was_idle = settle(self);

	if (was_idle || !had_run)
		resume(self, &block, had_run);
	self->woken_run = 0;
	/* Where it was idle the new run has armed the timer. */
	if (unlikely(self->tick_waits && !was_idle))
		let_tick(self);
}

bool park_tick(struct thread *self)
{
	if (unlikely(self->woken_run == self->run_begun_ns)) {
		self->tick_waits = true;
		return true;
	}
	if (likely(!self->block.pc) || self->parked ||
	    !is_parked(self, teacher_here(self, &self->block)))
		return false;
	self->loop->waits_there = self->record->waits;
	self->parked = true;
	run_parks(self->block_ns);
	return true;
}
