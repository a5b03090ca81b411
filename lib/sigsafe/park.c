/*
 * Places to park. Owns the process's table of them: a set of hashes, one for
 * the calls of each place up to each depth, with the thread that taught it.
 * Entries are never taken out, and a forked child has the same code at the same
 * places.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/park.h"

#include "base/atomic.h"
#include "base/hash.h"
#include "sigsafe/clock.h"
#include "sigsafe/live.h"
#include "sigsafe/run.h"
#include "sigsafe/stack.h"

#define PLACES	   1024u
#define MAX_PROBES 16u

/* A loop that makes so many waits between two visits to a place parks there. */
#define MANY_WAITS 10

#define NOBODY	0
#define SEVERAL (-1)

static struct place {
	uint64_t hash;	 /* 0: free */
	int32_t teacher; /* a thread, or SEVERAL; NOBODY: being entered */
} places[PLACES];

/* The slot where hash is, or a free one; NULL: neither nearby. */
static struct place *slot_for(uint64_t hash)
{
	uint32_t slot = hash_slot(hash, PLACES);

	for (uint32_t i = 0; i < MAX_PROBES; i++) {
		struct place *place = &places[(slot + i) % PLACES];
		/* Relaxed: a teacher that is not seen yet is nobody. */
		uint64_t seen = load_relaxed(&place->hash);

		if (!seen || seen == hash)
			return place;
	}
	return NULL;
}

static void enter(uint64_t hash, int32_t teacher)
{
	struct place *place;
	uint64_t vacant;
	int32_t former = NOBODY;

	do {
		vacant = 0;
		place = slot_for(hash);
		if (!place) {
			live_count_lost(LOST_PLACE);
			return;
		}
	} while (load_relaxed(&place->hash) != hash &&
		 !cas_acq_rel(&place->hash, &vacant, hash));
	if (!cas_acq_rel(&place->teacher, &former, teacher) &&
	    former != teacher)
		store_relaxed(&place->teacher, SEVERAL);
}

static int32_t teacher_of(uint64_t hash)
{
	const struct place *place = slot_for(hash);

	return place && load_relaxed(&place->hash) == hash
		       ? load_relaxed(&place->teacher)
		       : NOBODY;
}

static bool may_teach(const struct thread *self)
{
	const struct recording *rec = live_recording();
	bool has_waited =
		self->record && self->recording == rec && self->record->waits;

	return rec && !has_waited && thread_identify()->tid != live_header.pid;
}

static cold void teach(const struct call_site *call)
{
	uint64_t frame[PARK_DEPTH], hash = 0;
	struct stack_id calls =
		stack_calls(call, UINTPTR_MAX, PARK_DEPTH, frame);

	for (uint32_t i = 0; i < calls.depth; i++) {
		hash = stack_hash_add(hash, frame[i]);
		enter(hash, thread_identify()->tid);
	}
}

/* Who taught that the thread's place is one to park; NOBODY: it is none. */
static int32_t teacher_here(const struct thread *self,
			    const struct call_site *block)
{
	uintptr_t end = 0;
	struct stack_id calls;

	if (self->seat_shape.pc == self->seat.call.pc)
		end = frame_end(&self->seat_shape, &self->seat.call);
	if (!end)
		return NOBODY;
	calls = stack_calls(block, end, PARK_DEPTH, NULL);
	return calls.depth ? teacher_of(calls.hash) : NOBODY;
}

static bool is_at(const struct thread_record *record, int32_t epoll)
{
	return load_acquire(&record->state) == THREAD_LIVE &&
	       load_relaxed(&record->epoll) == epoll + 1;
}

/* Has another thread waited at the same epoll descriptor? Then it may again. */
static cold bool takes_turns(struct thread *self)
{
	const struct recording *rec = self->recording;
	const struct thread_record *record = live_records(rec, SECTION_THREADS);
	uint32_t n = (uint32_t)min_u64(
		load_relaxed(&rec->section[SECTION_THREADS].used),
		live_capacity(SECTION_THREADS));
	int32_t epoll = self->seat.epoll;

	if (epoll == SEAT_POLLS || self->turns_at == epoll + 1)
		return epoll != SEAT_POLLS;
	for (; n; n--, record++) {
		if (record != self->record && is_at(record, epoll)) {
			self->turns_at = epoll + 1;
			return true;
		}
	}
	return false;
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
	if (teacher == NOBODY || self->shared_ns > self->block_ns)
		return false;
	return teacher != thread_identify()->tid || is_own_pool(self);
}

void park_begin_slowly(struct call_site call)
{
	struct thread *self = &thread_self;

	self->parked = false;
	if (self->run_begun_ns) {
		self->block_ns = clock_now_ns();
		self->block = call;
		return;
	}
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

/* It has blocked in a run, and no tick has come, or none found it parked. */
static bool parks(struct thread *self, const struct call_site *block)
{
	int32_t teacher;
	bool is_idle;

	if (!self->run_begun_ns || !is_watched(self))
		return false;
	teacher = teacher_here(self, block);
	is_idle = is_parked(self, teacher);
	if (teacher != NOBODY)
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

void park_end_slowly(void)
{
	struct thread *self = &thread_self;
	struct call_site block = self->block;
	bool was_idle;

	/*
	 * First: from here on a tick of this run waits. It would find a thread
	 * that is parked no more, in a run that is not over yet.
	 */
	self->tick_waits = false;
	self->woken_run = self->run_begun_ns;
	*(volatile uintptr_t *)&self->block.pc = 0;
	was_idle = self->parked || parks(self, &block);
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
