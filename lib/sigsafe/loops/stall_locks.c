/*
 * The locks of a stall. What is told of a pair of lock and holder lies at its
 * place in the costs, and goes with it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/loops/stall_locks.h"

#include <string.h>

#include "sigsafe/locks/contention.h"
#include "sigsafe/locks/lock_table.h"
#include "sigsafe/loops/log.h"
#include "sigsafe/os/thread_name.h"

/* That of the waits for locks and their like which has cost most. */
static enum cause main_wait(const struct event_record *event)
{
	uint64_t wait_ns[CAUSE_COUNT] = { 0 };

	for (unsigned i = CAUSE_LOCK; cause_has_lock(i); i++)
		wait_ns[i] = event->cause_ns[i];
	return causes_main(wait_ns);
}

static struct lock_cost *told(struct thread *self)
{
	return lock_costs_most(&self->loop->costs,
			       main_wait(&self->loop->event));
}

static struct lock_tale *tale_of(struct thread *self,
				 const struct lock_cost *cost)
{
	return &self->loop->tales[cost - self->loop->costs.list];
}

/* The event tells of the lock that has cost most, and its holder. */
static void show_lock(struct thread *self)
{
	const struct lock_cost *most = told(self);
	struct event_record *event = &self->loop->event;
	const struct lock_tale *tale;

	if (!most)
		return;
	tale = tale_of(self, most);
	event->lock = most->held.address;
	event->lock_index = tale->index;
	event->holder = most->held.holder;
	memcpy(event->holder_name, tale->holder_name, NAME_BYTES);
	event->release = tale->release;
	event->releaser = tale->releaser;
	memcpy(event->releaser_name, tale->releaser_name, NAME_BYTES);
	/* Of several threads that were joined none is told. */
	if (most->held.kind != LOCK_JOIN ||
	    !lock_costs_has_other(&self->loop->costs, most))
		return;
	event->holder = HELD_BY_SEVERAL;
	event->holder_name[0] = '\0';
}

void stall_locks_learn(struct thread *self, const struct event_record *in)
{
	const struct lock_cost *most = told(self);
	struct lock_tale *tale;
	uint32_t release;

	if (!in || !most || !event_is_of_same(in, &self->loop->event))
		return;
	tale = tale_of(self, most);
	/* Acquire pairs with the release in tell_release(). */
	release = load_acquire(&in->release);
	if (!release || tale->release)
		return;
	copy_relaxed(tale->releaser_name, in->releaser_name, NAME_BYTES);
	tale->releaser = load_relaxed(&in->releaser);
	tale->release = release;
	show_lock(self);
}

/*
 * Asking the kernel takes a descriptor of the host's, as the log does. Threads
 * are often named late: at each tick anew.
 */
static void ask_name(struct lock_tale *tale, int32_t holder)
{
	char name[NAME_BYTES];

	thread_name_of(holder, name);
	if (*name)
		memcpy(tale->holder_name, name, NAME_BYTES);
}

/*
 * Where it had to wait for the lock itself, it left its name there. Only while
 * the wait goes on is the number surely that thread's.
 */
static void keep_name(const struct thread *self, struct lock_tale *tale,
		      const struct lock_record *lock, int32_t holder)
{
	if (holder <= 0)
		return;
	if (load_relaxed(&lock->taker) == holder)
		copy_relaxed(tale->holder_name, lock->taker_name, NAME_BYTES);
	else if (self->lock == lock && log_is_kept())
		ask_name(tale, holder);
}

static void keep_lock(struct thread *self, struct held_lock held, uint64_t ns)
{
	struct recording *rec = self->recording;
	const struct lock_cost *cost =
		lock_costs_add(&self->loop->costs, held, ns);
	struct lock_tale *tale = tale_of(self, cost);
	struct lock_record *lock;

	if (lock_cost_sure_ns(cost) == ns)
		*tale = (struct lock_tale){ 0 };
	lock = lock_pin_of_kind(rec, held.address, held.kind);
	if (!lock)
		return;
	tale->index = lock_index(rec, lock);
	keep_name(self, tale, lock, held.holder);
	lock_unpin(lock);
}

/*
 * Who lets go of the lock next will find the event by its number: until then
 * it is known who has it, if the lock tells. The wait has pinned it.
 */
static void ask_for_release(struct thread *self)
{
	const struct event_record *event = &self->loop->event;
	struct lock_record *lock = self->lock;

	if (!lock || event->release || event->lock != lock->address)
		return;
	/* Release pairs with the exchange in event_take_waiting(). */
	store_release(&lock->stall, event->stamp + 1);
}

void stall_locks_add(struct thread *self, const struct lock_costs *waits)
{
	for (size_t i = 0; i < LOCK_COSTS; i++) {
		const struct lock_cost *wait = &waits->list[i];

		if (wait->ns)
			keep_lock(self, wait->held, lock_cost_sure_ns(wait));
	}
	show_lock(self);
	ask_for_release(self);
}
