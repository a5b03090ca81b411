/*
 * The timeline's ring.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/events.h"

#include <string.h>

#include "base/atomic.h"

/* event numbers count from 0 for ever; a slot holds the latest of its numbers*/
static struct event_record *slot_of(struct recording *rec, uint32_t number)
{
	struct event_record *ring = section_records(rec, SECTION_EVENTS);

	return &ring[number % rec->section[SECTION_EVENTS].capacity];
}

uint32_t event_begin(struct thread *self, uint64_t begun_ns, uint32_t stack,
		     enum blocking_call call)
{
	struct recording *rec = self->recording;
	struct section *section = &rec->section[SECTION_EVENTS];
	struct thread_record *threads = section_records(rec, SECTION_THREADS);
	uint32_t number = add_relaxed(&section->used, 1);
	struct event_record *event = slot_of(rec, number);

	if (number >= section->capacity)
		add_relaxed(&rec->lost[LOST_EVENT], 1);
	/* Not valid while it is written; release pairs with the reader. */
	store_release(&event->begun_ns, 0);
	event->duration_ns = 0;
	event->thread = (uint32_t)(self->record - threads);
	event->tid = self->record->tid;
	event->stack = stack;
	event->ticks = 0;
	event->events = self->events;
	event->call = call;
	event->ended = 0;
	event->link = 0;
	event->apart = 0;
	memcpy(event->name, self->record->name, NAME_BYTES);
	store_release(&event->begun_ns, begun_ns);
	return number;
}

static const struct stack_record *stack_at(const struct recording *rec,
					   uint32_t place)
{
	const uint64_t *words = section_records(rec, SECTION_STACKS);

	return (const void *)(words + place);
}

/* A thread starts in a module: what is none at the end was walked too far. */
static uint32_t sound_depth(const struct stack_record *stack)
{
	uint32_t depth = stack->depth;

	while (depth && !FRAME_MODULE(stack->frame[depth - 1]))
		depth--;
	return depth;
}

/* How many frames two stacks share, counted from the outermost. */
static uint32_t shared_frames(const struct stack_record *a,
			      const struct stack_record *b)
{
	uint32_t left = sound_depth(a);
	uint32_t right = sound_depth(b);
	uint32_t n = 0;

	for (; left && right; n++) {
		if (a->frame[--left] != b->frame[--right])
			break;
	}
	return n;
}

/*
 * Keeps the stack that left the first one furthest behind: what both share did
 * not return while the stall lasted. Where they share nothing, one of them is
 * the beginning of a stack only.
 */
static void keep_apart(const struct recording *rec, struct event_record *event,
		       uint32_t stack)
{
	const struct stack_record *first = stack_at(rec, event->stack);
	uint32_t shared;

	if (!event->stack || !stack || stack == event->stack)
		return;
	shared = shared_frames(first, stack_at(rec, stack));
	if (!shared)
		return;
	if (!event->apart ||
	    shared < shared_frames(first, stack_at(rec, event->apart)))
		store_relaxed(&event->apart, stack);
}

void event_update(struct thread *self, uint64_t duration_ns, bool ended)
{
	struct event_record *event = slot_of(self->recording, self->event);

	/* Overwritten by a younger one? Then it is no longer ours. */
	if (load_relaxed(&event->begun_ns) != self->event_begun_ns ||
	    event->tid != self->record->tid)
		return;
	store_relaxed(&event->duration_ns, duration_ns);
	store_relaxed(&event->ticks, self->ticks);
	store_relaxed(&event->ended, ended);
	keep_apart(self->recording, event, self->stack);
}
