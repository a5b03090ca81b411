/*
 * Lessons: by whom it is taught where threads park.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/park_lessons.h"

#include "sigsafe/live.h"
#include "sigsafe/park.h"
#include "sigsafe/park_places.h"
#include "sigsafe/spare_stack.h"
#include "sigsafe/stack.h"

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
	spare_stack_call_by_hook(enter_places, &call);
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
	if (!may_teach(self)) {
		self->lessons = PARK_LESSONS;
		return;
	}
	self->lessons++;
	if (call->sp < self->shallowest)
		return;
	go_up_to(self, call);
	teach(*call);
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
	if (!may_teach(self))
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
