/*
 * The timeline's ring.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/events.h"

#include <string.h>

#include "base/atomic.h"
#include "sigsafe/lock_table.h"

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
	*event = (struct event_record){
		.thread = (uint32_t)(self->record - threads),
		.tid = self->record->tid,
		.stack = stack,
		.events = self->events,
		.call = call,
		.stamp = number,
	};
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

/* The event of the thread's stall; NULL: overwritten by a younger one. */
static struct event_record *own_event(const struct thread *self)
{
	struct event_record *event = slot_of(self->recording, self->event);

	if (load_relaxed(&event->begun_ns) != self->event_begun_ns ||
	    event->tid != self->record->tid)
		return NULL;
	return event;
}

void event_update(struct thread *self, uint64_t duration_ns, bool ended)
{
	struct event_record *event = own_event(self);

	if (!event)
		return;
	store_relaxed(&event->duration_ns, duration_ns);
	store_relaxed(&event->ticks, self->ticks);
	store_relaxed(&event->ended, ended);
	keep_apart(self->recording, event, self->stack);
}

/* Written by one thread alone, read at any time: each is right by itself. */
#define grow(field, by) store_relaxed(&(field), (field) + (by))

static void add_evidence(struct event_record *event, const struct evidence *e)
{
	grow(event->cpu_ns, e->cpu_ns);
	grow(event->voluntary, e->voluntary);
	grow(event->involuntary, e->involuntary);
	grow(event->minor_faults, e->minor_faults);
	grow(event->major_faults, e->major_faults);
	store_relaxed(&event->late_ns, max_u64(event->late_ns, e->late_ns));
}

/* The call of the slice that was blocked for longest. */
static void keep_call(struct event_record *event, uint32_t call, uint64_t ns)
{
	if (!call || ns <= event->in_call_ns)
		return;
	store_relaxed(&event->in_call_ns, ns);
	store_relaxed(&event->call, call);
}

/*
 * Who lets go of the lock next will find the event by its number: until then
 * it is known who has it, if the lock tells.
 */
static void keep_lock(struct event_record *event, const struct slice_end *end,
		      struct recording *rec, struct lock_record *lock)
{
	uint64_t address = (uintptr_t)end->lock;

	if (!end->lock || (event->lock && event->lock != address))
		return;
	store_relaxed(&event->lock, address);
	if (!lock)
		return;
	store_relaxed(&event->lock_index, lock_index(rec, lock));
	if (event->release || thread_self.slice.lock != lock)
		return;
	store_relaxed(&event->holder, load_relaxed(&lock->holder));
	/* Release pairs with the exchange in event_take_waiting(). */
	store_release(&lock->stall, event->stamp + 1);
}

void event_explain(struct thread *self, const struct slice_end *end,
		   const struct causes *causes, struct lock_record *lock)
{
	struct event_record *event = own_event(self);

	if (!event)
		return;
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		grow(event->cause_ns[i], causes->ns[i]);
	add_evidence(event, &end->evidence);
	keep_call(event, end->call, causes->ns[CAUSE_BLOCKED]);
	keep_lock(event, end, self->recording, lock);
}

uint32_t event_take_waiting(struct lock_record *lock)
{
	/* Acquire pairs with the release in keep_lock(). */
	return load_relaxed(&lock->stall) ? exchange_acq_rel(&lock->stall, 0)
					  : 0;
}

void event_released(struct recording *rec, uint32_t waiting, uint32_t stack)
{
	const struct thread_identity *self = thread_identify();
	struct event_record *event = slot_of(rec, waiting - 1);

	if (load_relaxed(&event->stamp) != waiting - 1 ||
	    load_relaxed(&event->release))
		return;
	memcpy(event->holder_name, self->name, NAME_BYTES);
	store_relaxed(&event->holder, self->tid);
	/* Release: who sees the stack sees whose it is. */
	store_release(&event->release, stack);
}

void event_waits_no_more(struct lock_record *lock)
{
	uint32_t own = thread_self.event + 1;

	/* Whoever comes next with an unlock did not end this wait. */
	if (unlikely(load_relaxed(&lock->stall) == own))
		cas_acq_rel(&lock->stall, &own, 0);
}
