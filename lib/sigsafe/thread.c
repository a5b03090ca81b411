/*
 * The calling thread: enrolment and end.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/thread.h"

#include <string.h>
#include <sys/prctl.h>

#include "base/atomic.h"
#include "base/loops.h"
#include "sigsafe/live.h"
#include "sigsafe/locks/sleepers.h"
#include "sigsafe/loops/run.h"
#include "sigsafe/loops/timer.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/stacks/alternate_stack.h"
#include "sigsafe/stacks/spare_stack.h"

/* A pool names its threads late, or by their work. */
#define NAME_LASTS_NS (10 * NS_PER_MS)

__thread struct thread thread_self;
pthread_key_t thread_key;

static bool claim(struct thread_record *record, uint32_t from)
{
	/* Acquire pairs with the release in thread_end(). */
	return load_relaxed(&record->state) == from &&
	       cas_acq_rel(&record->state, &from, THREAD_CLAIMED);
}

/*
 * A record nobody uses, and its place: a new one, or one of a thread that was
 * no loop. The record last: a handler that waits goes by it.
 */
static bool take_record(struct thread *self, struct recording *rec)
{
	uint32_t *used = &rec->section[SECTION_THREADS].used;
	uint32_t capacity = live_capacity(SECTION_THREADS);
	struct thread_record *table = live_records(rec, SECTION_THREADS);
	/* Relaxed: only a place to begin to search. */
	uint32_t first = load_relaxed(used) % capacity;

	for (uint32_t i = 0; i < capacity; i++) {
		uint32_t index = (first + i) % capacity;

		if (!claim(&table[index], THREAD_FREE))
			continue;
		self->loop = loop_clear(index);
		if (!self->loop) {
			store_release(&table[index].state, THREAD_FREE);
			break;
		}
		add_relaxed(used, 1);
		store_release(&self->record, &table[index]);
		return true;
	}
	live_count_lost(LOST_THREAD);
	return false;
}

const struct thread_identity *thread_identify(void)
{
	struct thread_identity *self = &thread_self.identity;

	if (unlikely(!self->tid)) {
		self->tid = sys_gettid();
		sys2(SYS_prctl, PR_GET_NAME, self->name);
	}
	return self;
}

const struct thread_identity *thread_identify_anew(void)
{
	thread_identify();
	sys2(SYS_prctl, PR_GET_NAME, thread_self.identity.name);
	return &thread_self.identity;
}

const struct thread_identity *thread_identify_at(uint64_t now_ns)
{
	struct thread_identity *self = &thread_self.identity;

	if (self->tid && now_ns - self->named_ns < NAME_LASTS_NS)
		return self;
	thread_identify_anew();
	self->named_ns = now_ns;
	return self;
}

void thread_read_name(struct thread *self)
{
	uint64_t before_ns = self->stall_ns, stall_ns;
	char name[NAME_BYTES] = "";

	sys2(SYS_prctl, PR_GET_NAME, name);
	memcpy(self->record->name, name, NAME_BYTES);
	stall_ns = threshold_of(&live_header.thresholds, name);
	store_relaxed(&self->record->stall_ns, stall_ns);
	self->stall_ns = stall_ns ? stall_ns : FOR_EVER_NS;
	if (self->armed && self->stall_ns < before_ns)
		self->armed = ARMED_FOR_LATER;
}

void thread_look_at_name(struct thread *self)
{
	if (live_header.thresholds.count && !self->ticks)
		thread_read_name(self);
}

/* All but what belongs to the process's signals, which go on. */
static void forget(struct thread *self)
{
	struct thread fresh = {
		.recording = live_recording(),
		.waiting = self->waiting,
		.tick_broke_wait = self->tick_broke_wait,
		.mask_is_kept = self->mask_is_kept,
		.mask_before_tick = self->mask_before_tick,
		.handlers_at_wait = self->handlers_at_wait,
		.host_handlers = self->host_handlers,
		.handler_depth = self->handler_depth,
		.opened = self->opened,
		.fault_mask = self->fault_mask,
		.in_walk = self->in_walk,
		.is_quiet = self->is_quiet,
		.in_fork = self->in_fork,
		.ways = self->ways,
		.alternate_stack = self->alternate_stack,
		.hosts_stack = self->hosts_stack,
		.identity = self->identity,
		.random = self->random,
		.sleeper = self->sleeper,
		.ends = self->ends,
		/* Of the wait it enrols after. */
		.seat = self->seat,
		.lessons = self->lessons,
		.shallowest = self->shallowest,
		.own = { self->own[0], self->own[1] },
		.own_tries = self->own_tries,
		.jumps = self->jumps,
		.switches = self->switches,
		.holder = self->holder,
	};

	*self = fresh;
}

static void enrol(void *argument)
{
	struct thread *self = argument;
	struct recording *rec;

	forget(self);
	rec = self->recording;
	if (!rec || thread_is_over(self) ||
	    !threshold_is_any(&live_header.thresholds) ||
	    !take_record(self, rec))
		return;
	self->record->tid = sys_gettid();
	self->record->epoll = self->seat.epoll + 1;
	thread_read_name(self);
	store_release(&self->record->state, THREAD_LIVE);
	pthread_setspecific(thread_key, self);
}

cold void thread_enrol(struct thread *self)
{
	if (spare_stack_call_by_hook(NULL, enrol, self))
		return;
	/* At its next wait. What it has may be its parent's. */
	self->recording = NULL;
	self->record = NULL;
}

void thread_blocks(struct thread *self, uint32_t call, uint32_t stack,
		   uint64_t since_ns)
{
	struct thread_record *record = self->record;

	self->loop->blocked_stack = stack;
	self->loop->blocked_ns = since_ns;
	self->blocked_call = call;
	store_relaxed(&record->blocked_stack, stack);
	store_relaxed(&record->blocked_ns, since_ns);
	store_relaxed(&record->blocked_call, call);
}

void thread_blocks_no_more(struct thread *self)
{
	self->blocked_call = CALL_NONE;
	store_relaxed(&self->record->blocked_call, CALL_NONE);
}

void thread_end(void *ended)
{
	struct thread *self = ended;
	struct thread_record *record = self->record;

	self->ends++;
	sleeper_forget();
	/* In a forked child nothing else of it is ours. */
	if (self->recording != live_recording() || !record) {
		alternate_stack_remove(self);
		return;
	}
	run_stops(RUN_LEFT);
	thread_read_name(self);
	timer_delete_own(self);
	alternate_stack_remove(self);
	/* If the thread waits in other destructors, it enrols again. */
	self->record = NULL;
	self->recording = NULL;
	self->loop = NULL;
	if (!thread_is_loop(record)) {
		*record = (struct thread_record){ .state = THREAD_CLAIMED };
		store_release(&record->state, THREAD_FREE);
	} else {
		store_release(&record->state, THREAD_ENDED);
	}
}
