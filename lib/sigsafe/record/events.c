/*
 * The timeline. A thread keeps the stall it is in itself, and copies it to the
 * ring and to the longest: so it is whole, whatever the others overwrite. Only
 * who let go of a lock is written to the copies, by the thread that did.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/record/events.h"

#include <string.h>

#include "base/atomic.h"
#include "base/lasting.h"
#include "sigsafe/live.h"
#include "sigsafe/locks/contention.h"
#include "sigsafe/locks/lock_table.h"
#include "sigsafe/loops/heaviest.h"
#include "sigsafe/loops/run.h"
#include "sigsafe/loops/stall_locks.h"
#include "sigsafe/record/longest.h"

/* event numbers count from 0 for ever; a slot holds the latest of its numbers*/
static struct event_record *slot_of(struct recording *rec, uint32_t number)
{
	struct event_record *ring = live_records(rec, SECTION_EVENTS);

	return &ring[number % live_capacity(SECTION_EVENTS)];
}

typedef uint64_t __attribute__((may_alias)) word;

#define OWN_WORDS (offsetof(struct event_record, release) / sizeof(word))
#define ALL_WORDS (sizeof(struct event_record) / sizeof(word))

void event_put(struct event_record *to, const struct event_record *from)
{
	/* Not valid while it is written; release pairs with the reader. */
	store_release(&to->begun_ns, 0);
	for (size_t i = 1; i < ALL_WORDS; i++)
		store_relaxed((word *)to + i, ((const word *)from)[i]);
	store_release(&to->begun_ns, from->begun_ns);
}

/* Who let go of one lock has not let go of another. */
void event_refresh(struct event_record *to, const struct event_record *from)
{
	size_t words = event_is_of_same(to, from) ? OWN_WORDS : ALL_WORDS;

	for (size_t i = 1; i < words; i++)
		store_relaxed((word *)to + i, ((const word *)from)[i]);
}

/* The thread's stall in the ring; NULL: overwritten by a younger one. */
static struct event_record *in_ring(struct recording *rec, uint32_t stamp)
{
	struct event_record *slot = slot_of(rec, stamp);

	return load_relaxed(&slot->begun_ns) &&
			       load_relaxed(&slot->stamp) == stamp
		       ? slot
		       : NULL;
}

void event_begin(struct thread *self, uint64_t begun_ns, uint32_t stack,
		 enum blocking_call call)
{
	struct recording *rec = self->recording;
	struct section *section = &rec->section[SECTION_EVENTS];
	struct thread_record *threads = live_records(rec, SECTION_THREADS);
	struct event_record *event = &self->loop->event;

	*event = (struct event_record){
		.begun_ns = begun_ns,
		.thread = (uint32_t)(self->record - threads),
		.tid = self->record->tid,
		.stack = stack,
		.events = self->events,
		.call = call,
		.stamp = add_relaxed(&section->used, 1),
	};
	lock_costs_clear(&self->loop->costs);
	self->loop->event_longest = 0;
	self->loop->log_next_ns = 0;
	self->loop->place_next_ns = 0;
	memcpy(event->name, self->record->name, NAME_BYTES);
	event_put(slot_of(rec, event->stamp), event);
}

/*
 * Each time that it is a quarter longer: so a stall of any length costs few
 * looks at its samples. A run that left its loop has lost them.
 */
static void keep_place(struct thread *self)
{
	struct event_record *event = &self->loop->event;
	struct heaviest heaviest;

	if (event->state == RUN_LASTS &&
	    event->duration_ns < self->loop->place_next_ns)
		return;
	self->loop->place_next_ns = event->duration_ns + event->duration_ns / 4;
	heaviest = heaviest_of(self);
	if (!heaviest.stack)
		return;
	event->stack = heaviest.stack;
	event->apart = heaviest.apart;
}

void event_update(struct thread *self, uint64_t duration_ns,
		  enum run_state state)
{
	struct recording *rec = self->recording;
	struct event_record *event = &self->loop->event;
	struct event_record *slot = in_ring(rec, event->stamp);

	stall_locks_learn(self, slot);
	event->duration_ns = duration_ns;
	event->ticks = self->ticks;
	event->state = state;
	event->latest = self->loop->stack;
	keep_place(self);
	if (slot)
		event_refresh(slot, event);
	longest_enter(rec, event, &self->loop->event_longest);
}

static void add_evidence(struct event_record *event, const struct evidence *e)
{
	event->cpu_ns += e->cpu_ns;
	event->voluntary += e->voluntary;
	event->involuntary += e->involuntary;
	event->minor_faults += e->minor_faults;
	event->major_faults += e->major_faults;
	event->late_ns = max_u64(event->late_ns, e->late_ns);
}

/*
 * The call that it was blocked in for more than half of the time it was blocked
 * at all, if there is one; one with much of that time, if there is none. (Boyer
 * and Moore, "MJRTY", 1981: each ns is a vote.)
 */
static void keep_call(struct event_record *event, uint32_t call, uint64_t ns)
{
	if (!call || !ns)
		return;
	if (call == event->call) {
		event->in_call_ns += ns;
	} else if (ns > event->in_call_ns) {
		event->in_call_ns = ns - event->in_call_ns;
		event->call = call;
	} else {
		event->in_call_ns -= ns;
	}
}

static void keep_calls(struct event_record *event, const struct slice_end *end,
		       uint64_t blocked_ns)
{
	uint64_t measured_ns = min_u64(blocked_ns, end->evidence.blocked_ns);

	keep_call(event, end->longest_call, measured_ns);
	keep_call(event, end->other_call, blocked_ns - measured_ns);
}

void event_explain(struct thread *self, const struct slice_end *end,
		   const struct causes *causes)
{
	struct event_record *event = &self->loop->event;

	/* First, while it is known which of the waits that ended. */
	stall_locks_learn(self, in_ring(self->recording, event->stamp));
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		event->cause_ns[i] += causes->ns[i];
	add_evidence(event, &end->evidence);
	keep_calls(event, end, causes->ns[CAUSE_BLOCKED]);
	stall_locks_add(self, &end->waits);
}

uint32_t event_take_waiting(struct lock_record *lock)
{
	/* Acquire pairs with the release in ask_for_release(). */
	return load_relaxed(&lock->stall) ? exchange_acq_rel(&lock->stall, 0)
					  : 0;
}

static void tell_release(struct event_record *event,
			 const struct lock_record *lock, uint32_t stack)
{
	const struct thread_identity *self;

	/* Meanwhile it may tell of a lock that has cost more. */
	if (!event || load_relaxed(&event->release) ||
	    load_relaxed(&event->lock) != lock->address)
		return;
	/* A pool names its threads when they have begun, or by their work. */
	self = thread_identify_anew();
	copy_relaxed(event->releaser_name, self->name, NAME_BYTES);
	store_relaxed(&event->releaser, self->tid);
	/* Release: who sees the stack sees whose it is. */
	store_release(&event->release, stack);
}

void event_released(struct recording *rec, const struct lock_record *lock,
		    uint32_t waiting, uint32_t stack)
{
	tell_release(in_ring(rec, waiting - 1), lock, stack);
	tell_release(longest_find(rec, waiting - 1), lock, stack);
}

void event_waits_no_more(struct lock_record *lock)
{
	const struct event_record *event;
	uint32_t own;

	if (likely(!load_relaxed(&lock->stall)) || !is_enrolled(&thread_self))
		return;
	event = &thread_self.loop->event;
	own = event->stamp + 1;
	/* Whoever comes next with an unlock did not end this wait. */
	if (load_relaxed(&lock->stall) == own && event->begun_ns)
		cas_acq_rel(&lock->stall, &own, 0);
}

/* Of those with this thread and this beginning, by relaxed loads. */
static bool is_of_run(const struct event_record *event, uint32_t thread,
		      uint64_t begun_ns)
{
	return load_relaxed(&event->begun_ns) == begun_ns &&
	       load_relaxed(&event->thread) == thread;
}

/* NULL: no tick has come, or the timeline has lost it. */
static const struct event_record *find(const struct recording *rec,
				       uint32_t thread, uint64_t begun_ns)
{
	const struct event_record *event = live_records(rec, SECTION_EVENTS);
	const struct longest_record *longest =
		live_records(rec, SECTION_LONGEST);
	uint32_t n;

	for (n = live_capacity(SECTION_EVENTS); n; n--, event++)
		if (is_of_run(event, thread, begun_ns))
			return event;
	for (n = live_capacity(SECTION_LONGEST); n; n--, longest++)
		if (is_of_run(&longest->event, thread, begun_ns))
			return &longest->event;
	return NULL;
}

/* All but the validity word: by now another thread may write to it. */
static void copy_event(struct event_record *to, const struct event_record *from)
{
	for (size_t i = 1; i < ALL_WORDS; i++)
		((word *)to)[i] = load_relaxed((const word *)from + i);
}

/* The call that it is blocked in goes on until then. */
static void extend(struct event_record *event,
		   const struct thread_record *thread, struct lasting lasting)
{
	event->duration_ns = lasting.ns;
	event->cause_ns[CAUSE_BLOCKED] += lasting.rest_ns;
	if (lasting.rest_ns <= lasting.ns / 2)
		return;
	event->call = load_relaxed(&thread->blocked_call);
	event->in_call_ns = event->cause_ns[CAUSE_BLOCKED];
	event->stack = load_relaxed(&thread->blocked_stack);
}

struct event_record event_lasting(const struct recording *rec,
				  const struct thread_record *thread,
				  uint64_t now_ns)
{
	const struct thread_record *threads =
		live_records(rec, SECTION_THREADS);
	struct lasting lasting = lasting_of(rec, thread, now_ns);
	struct event_record event = {
		.begun_ns = load_relaxed(&thread->run_begun_ns),
		.tid = load_relaxed(&thread->tid),
	};
	const struct event_record *seen;

	if (!lasting.ns)
		return (struct event_record){ .begun_ns = 0 };
	copy_relaxed(event.name, thread->name, NAME_BYTES);
	seen = find(rec, (uint32_t)(thread - threads), event.begun_ns);
	if (seen)
		copy_event(&event, seen);
	event.state = RUN_LASTS;
	extend(&event, thread, lasting);
	return event;
}
