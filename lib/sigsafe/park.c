/*
 * Places to park. Owns the process's table of them: a set of hashes, one for
 * the calls of each place up to each depth. Entries are never taken out, and a
 * forked child has the same code at the same places.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/park.h"

#include "base/atomic.h"
#include "base/hash.h"
#include "sigsafe/clock.h"
#include "sigsafe/run.h"
#include "sigsafe/stack.h"

#define PLACES	   1024u
#define MAX_PROBES 16u

static uint64_t places[PLACES]; /* 0: free */

/* The slot where hash is, or a free one; NULL: neither nearby. */
static uint64_t *slot_for(uint64_t hash)
{
	uint32_t slot = hash_slot(hash, PLACES);

	for (uint32_t i = 0; i < MAX_PROBES; i++) {
		uint64_t *place = &places[(slot + i) % PLACES];
		/* Relaxed: the word is all there is to know. */
		uint64_t seen = load_relaxed(place);

		if (!seen || seen == hash)
			return place;
	}
	return NULL;
}

static void enter(uint64_t hash)
{
	uint64_t *place, vacant;

	do {
		vacant = 0;
		place = slot_for(hash);
		if (!place) {
			live_count_lost(LOST_PLACE);
			return;
		}
	} while (load_relaxed(place) != hash &&
		 !cas_acq_rel(place, &vacant, hash));
}

static bool is_known(uint64_t hash)
{
	const uint64_t *place = slot_for(hash);

	return place && load_relaxed(place) == hash;
}

static bool may_teach(const struct thread *self)
{
	const struct recording *rec = live_recording();
	bool has_waited =
		self->record && self->recording == rec && self->record->waits;

	return rec && !has_waited && thread_identify()->tid != rec->pid;
}

static cold void teach(const struct call_site *call)
{
	uint64_t frame[PARK_DEPTH], hash = 0;
	struct stack_id calls =
		stack_calls(call, UINTPTR_MAX, PARK_DEPTH, frame);

	for (uint32_t i = 0; i < calls.depth; i++) {
		hash = stack_hash_add(hash, frame[i]);
		enter(hash);
	}
}

/* Has the thread parked that blocks there? */
static bool is_parked(const struct thread *self, const struct call_site *block)
{
	uintptr_t end = 0;
	struct stack_id calls;

	if (self->seat_shape.pc == self->seat.call.pc)
		end = frame_end(&self->seat_shape, &self->seat.call);
	/* A tick since then has seen that it is not. */
	if (!end || self->shared_ns > self->block_ns)
		return false;
	calls = stack_calls(block, end, PARK_DEPTH, NULL);
	return calls.depth && is_known(calls.hash);
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

void park_end_slowly(void)
{
	struct thread *self = &thread_self;
	struct call_site block = self->block;

	/* First: from here on no tick finds it parked. */
	*(volatile uintptr_t *)&self->block.pc = 0;
	if (!self->parked) {
		if (!self->run_begun_ns || !is_watched(self) ||
		    !is_parked(self, &block))
			return;
		run_parks(self->block_ns);
	}
	self->parked = false;
	run_resumes();
}

bool park_tick(struct thread *self)
{
	if (likely(!self->block.pc) || self->parked ||
	    !is_parked(self, &self->block))
		return false;
	self->parked = true;
	run_parks(self->block_ns);
	return true;
}
