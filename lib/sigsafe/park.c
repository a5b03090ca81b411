/*
 * Parking: who teaches where, and who parks there.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/park.h"

#include "base/atomic.h"
#include "sigsafe/clock.h"
#include "sigsafe/live.h"
#include "sigsafe/park_places.h"
#include "sigsafe/run.h"
#include "sigsafe/stack.h"

/* A loop that makes so many waits between two visits to a place parks there. */
#define MANY_WAITS 10

/* What has waited for events so lately is a loop that takes turns. */
#define LATE_RUN_NS NS_PER_S

/* Frames of a stack that is compared as a whole, at most. */
#define WHOLE_DEPTH 64
#define WHOLE_SALT  UINT64_C(0x5bd1e9955bd1e995)

static bool may_teach(const struct thread *self)
{
	const struct recording *rec = live_recording();
	bool has_waited =
		self->record && self->recording == rec && self->record->waits;

	return rec && !has_waited && thread_identify()->tid != live_header.pid;
}

/* Of the whole stack. Salted: some places are no deeper than that. */
static uint64_t whole_hash(struct stack_id calls)
{
	return calls.hash ^ WHOLE_SALT;
}

static cold void teach(const struct call_site *call)
{
	uint64_t frame[WHOLE_DEPTH], hash = 0;
	struct stack_id calls =
		stack_calls(call, UINTPTR_MAX, WHOLE_DEPTH, frame, NULL);
	int32_t self = thread_identify()->tid;

	for (uint32_t i = 0; i < calls.depth && i < PARK_DEPTH; i++) {
		hash = stack_hash_add(hash, frame[i]);
		park_places_enter(hash, self);
	}
	if (calls.depth)
		park_places_enter(whole_hash(calls), self);
}

/*
 * Does the thread wait at the descriptor, or has it of late: after since_ns, or
 * not long before? It may be in a run, or parked and woken, and not let run.
 * (What waited once is no loop yet.)
 */
static bool is_at(const struct thread_record *record, int32_t epoll,
		  uint64_t since_ns)
{
	int32_t place = load_relaxed(&record->epoll);
	bool is_there = place == epoll + 1;
	uint64_t until_ns = load_relaxed(&record->latest_ns);

	if (load_acquire(&record->state) != THREAD_LIVE ||
	    (!is_there && place != -(epoll + 1)))
		return false;
	if (load_relaxed(&record->waits) > 1)
		until_ns += LATE_RUN_NS;
	return until_ns >= since_ns ||
	       (is_there && !load_relaxed(&record->run_begun_ns));
}

/* Does another thread? The one that did the last time is asked first. */
static cold bool takes_turns(struct thread *self)
{
	const struct recording *rec = self->recording;
	struct thread_record *record = live_records(rec, SECTION_THREADS);
	uint32_t n = (uint32_t)min_u64(
		load_relaxed(&rec->section[SECTION_THREADS].used),
		live_capacity(SECTION_THREADS));
	int32_t epoll = self->seat.epoll;

	if (epoll == SEAT_POLLS)
		return false;
	if (self->other && is_at(self->other, epoll, self->block_ns))
		return true;
	for (; n; n--, record++) {
		if (record != self->record &&
		    is_at(record, epoll, self->block_ns)) {
			self->other = record;
			return true;
		}
	}
	return false;
}

/* Who taught that the whole stack leads to where a thread parks. */
static cold int32_t teacher_of_stack(const struct call_site *block)
{
	struct stack_id calls =
		stack_calls(block, UINTPTR_MAX, WHOLE_DEPTH, NULL, NULL);

	return calls.depth ? park_places_teacher(whole_hash(calls))
			   : TEACHER_NOBODY;
}

/*
 * The calls from where the thread blocks up to the function that its loop's
 * wait was called in, directly or by another one: with the place of the call in
 * there, as a callback that is inlined beside the parking blocks at another.
 */
static struct stack_id
calls_in_loop(struct thread *self, const struct call_site *block, uintptr_t end)
{
	struct frame_shape known[FRAME_SHAPES] = { 0 };
	uintptr_t pc;
	struct stack_id calls = stack_calls(block, end, PARK_DEPTH, NULL, &pc);

	/* Frames of two functions that are called in a third end alike. */
	if (!calls.depth ||
	    frame_shape_of(known, pc)->function == self->seat_shape.function)
		return calls;
	return stack_calls(block, end + 1, PARK_DEPTH, NULL, NULL);
}

/*
 * Who taught that the thread's place is one to park. Where threads take turns
 * they may have come there in several ways: the calls up to the loop are
 * enough.
 */
static int32_t teacher_here(struct thread *self, const struct call_site *block)
{
	int32_t teacher = TEACHER_NOBODY;
	struct stack_id calls;
	uintptr_t end = 0;

	if (self->seat_shape.pc == self->seat.call.pc)
		end = frame_end(&self->seat_shape, &self->seat.call);
	if (!end)
		return TEACHER_NOBODY;
	calls = calls_in_loop(self, block, end);
	if (calls.depth)
		teacher = park_places_teacher(calls.hash);
	if (teacher == TEACHER_NOBODY || takes_turns(self))
		return teacher;
	return teacher_of_stack(block);
}

/* What polls one descriptor waits for an answer, to whatever it works at. */
static bool waits_for_answers(const struct thread *self)
{
	return self->seat.epoll == SEAT_POLLS && self->seat.size <= 1;
}

/*
 * At a place that nobody else has taught: a pool of its own, or where it waits
 * in each turn of its loop?
 */
static bool is_own_pool(struct thread *self)
{
	return self->parks ||
	       self->record->waits - self->waits_there >= MANY_WAITS ||
	       waits_for_answers(self) || takes_turns(self);
}

/* Has the thread parked, in the place that was taught by teacher? */
static bool is_parked(struct thread *self, int32_t teacher)
{
	/* A tick since then has seen that it is not. */
	if (teacher == TEACHER_NOBODY || self->shared_ns > self->block_ns)
		return false;
	return teacher == TEACHER_SEVERAL ||
	       (teacher != thread_identify()->tid && !self->block_is_timed) ||
	       is_own_pool(self);
}

static cold void learn(struct thread *self, struct call_site call)
{
	/* To learn takes system calls: by now seccomp may kill for them. */
	if (!live_recording())
		return;
	if (!may_teach(self)) {
		self->lessons = PARK_LESSONS;
		return;
	}
	self->lessons++;
	if (call.sp < self->shallowest)
		return;
	self->shallowest = call.sp;
	teach(&call);
}

void park_begin_slowly(struct call_site call, bool is_timed)
{
	struct thread *self = &thread_self;

	self->parked = false;
	if (!self->run_begun_ns) {
		learn(self, call);
		return;
	}
	self->block_is_timed = is_timed;
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
		self->waits_there = self->record->waits;
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
	if (!self->slice.lock)
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

void park_at_once(struct call_site call)
{
	struct thread *self = &thread_self;

	park_begin_slowly(call, true);
	if (!self->block.pc)
		return;
	self->parked = settle(self);
	self->block = call;
	self->woken_run = 0;
	if (unlikely(self->tick_waits && !self->parked))
		run_arm(self, self->run_begun_ns);
}

void park_end_slowly(void)
{
	struct thread *self = &thread_self;
	bool was_idle = settle(self);

	if (was_idle) {
		self->parked = false;
		run_resumes();
	}
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
	self->waits_there = self->record->waits;
	self->parked = true;
	run_parks(self->block_ns);
	return true;
}
