/*
 * Lessons: by whom it is taught where threads park.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/loops/park_lessons.h"

#include "sigsafe/live.h"
#include "sigsafe/loops/park.h"
#include "sigsafe/loops/park_places.h"
#include "sigsafe/loops/run.h"
#include "sigsafe/stacks/spare_stack.h"
#include "sigsafe/walk/stack.h"

/* Frames of a stack that is compared as a whole, at most. */
#define WHOLE_DEPTH 64
#define WHOLE_SALT  UINT64_C(0x5bd1e9955bd1e995)
#define LATE_SALT   UINT64_C(0x2545f4914f6cdd1d)

/* After so many waits a thread that first of all does a job has begun it. */
#define YOUNG_WAITS 64

static bool has_waited(const struct thread *self)
{
	return self->record && self->recording == live_recording() &&
	       self->record->waits;
}

static bool is_first_thread(void)
{
	return thread_identify()->tid == live_header.pid;
}

bool park_is_in_wait(const struct thread *self, uintptr_t pc)
{
	struct frame_shape known[FRAME_SHAPES] = { 0 };

	return frame_shape_of(known, pc)->function ==
	       self->loop->seat_shape.function;
}

/* Is the function over, at the call, that has waited for events last? */
static bool has_left_wait(const struct thread *self,
			  const struct call_site *call)
{
	uintptr_t end = park_wait_end(self), pc;

	return end && stack_calls(call, end, PARK_DEPTH, NULL, &pc).depth &&
	       !park_is_in_wait(self, pc);
}

/* One that is made with its first job polls for that before it ever parks. */
static bool may_teach_late(const struct thread *self)
{
	return self->run_begun_ns && park_waits_for_answers(self) &&
	       self->record->waits < YOUNG_WAITS;
}

uint64_t park_whole_hash(const struct call_site *call, uint64_t salt)
{
	struct stack_id calls =
		stack_calls(call, UINTPTR_MAX, WHOLE_DEPTH, NULL, NULL);

	return calls.depth ? calls.hash ^ salt : 0;
}

static void enter_places(void *call)
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
		park_places_enter(calls.hash ^ WHOLE_SALT, self);
}

/* It may be a coroutine that blocks, on a stack of one page. */
static cold void teach(struct call_site call)
{
	spare_stack_call_by_hook(NULL, enter_places, &call);
}

cold void park_teach_too(const struct call_site *block)
{
	teach(*block);
}

cold int32_t park_teacher_of_stack(const struct call_site *block)
{
	uint64_t hash = park_whole_hash(block, WHOLE_SALT);

	return hash ? park_places_teacher(hash) : TEACHER_NOBODY;
}

/* It blocks there, no deeper in its stack than ever before. */
static void go_up_to(struct thread *self, const struct call_site *call)
{
	if (call->sp != self->shallowest)
		self->own[0] = self->own[1] = 0;
	self->shallowest = call->sp;
}

cold void park_learn(struct thread *self, const struct call_site *call)
{
	/* To learn takes system calls: by now seccomp may kill for them. */
	if (!live_recording())
		return;
	if (is_first_thread() || (has_waited(self) && !may_teach_late(self))) {
		self->lessons = PARK_LESSONS;
		return;
	}
	if (has_waited(self) && !has_left_wait(self, call))
		return;
	self->lessons++;
	if (call->sp < self->shallowest)
		return;
	go_up_to(self, call);
	teach(*call);
}

uint64_t park_late_hash(const struct call_site *call)
{
	return park_whole_hash(call, LATE_SALT);
}

cold void park_learn_late(struct thread *self, const struct call_site *call)
{
	uint64_t hash;

	if (!is_watched(self) || self->record->events ||
	    self->loop->has_blocked)
		return;
	self->loop->has_blocked = true;
	if (!way_beside(&self->loop->way, call))
		return;
	hash = park_late_hash(call);
	if (hash)
		park_places_enter(hash, thread_identify()->tid);
}

/* The places that are taught tell calls apart that end alike. */
bool park_own_knows(const struct call_site *call)
{
	const struct thread *self = &thread_self;
	uint16_t end = (uint16_t)call->pc;

	return call->sp == self->shallowest &&
	       (self->own[0] == end || self->own[1] == end);
}

bool park_own_may_teach(void)
{
	struct thread *self = &thread_self;

	if (!live_recording())
		return false;
	self->own_tries++;
	if (is_first_thread() || has_waited(self))
		self->own_tries = PARK_OWN_TRIES;
	return self->own_tries < PARK_OWN_TRIES;
}

/* The first ones: what a thread reads next may be what its work is. */
void park_own_teach(const struct call_site *call)
{
	struct thread *self = &thread_self;

	go_up_to(self, call);
	if (park_own_knows(call) || self->own[1])
		return;
	self->own[self->own[0] != 0] = (uint16_t)call->pc;
	teach(*call);
}
