/*
 * The table of waiters.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/locks/waiters.h"

#include <string.h>

#include "base/atomic.h"
#include "base/hash.h"
#include "sigsafe/live.h"
#include "sigsafe/os/thread_name.h"

#define MAX_PROBES 64

static bool claim(struct waiter_record *waiter)
{
	uint32_t no = 0;

	/* Acquire pairs with the release in waiter_leave(). */
	return !load_relaxed(&waiter->claimed) &&
	       cas_acq_rel(&waiter->claimed, &no, 1);
}

static struct waiter_record *find_free(struct recording *rec, uint32_t near)
{
	struct waiter_record *table = live_records(rec, SECTION_WAITERS);
	uint32_t capacity = live_capacity(SECTION_WAITERS);
	uint32_t slot = hash_slot(near, capacity);

	for (int probe = 0; probe < MAX_PROBES; probe++) {
		if (claim(&table[slot]))
			return &table[slot];
		slot = slot + 1 == capacity ? 0 : slot + 1;
	}
	return NULL;
}

struct waiter_record *waiter_enter(struct recording *rec, uint32_t lock,
				   uint64_t start_ns,
				   const struct thread_identity *who)
{
	struct waiter_record *waiter = find_free(rec, (uint32_t)who->tid);

	if (!waiter) {
		add_relaxed(&rec->lost[LOST_WAITER], 1);
		return NULL;
	}
	waiter->lock = lock;
	waiter->stack = 0;
	waiter->tid = who->tid;
	memcpy(waiter->name, who->name, NAME_BYTES);
	/* Last: from here on it is valid. */
	store_release(&waiter->start_ns, start_ns);
	return waiter;
}

void waiter_leave(struct waiter_record *waiter)
{
	if (!waiter)
		return;
	store_release(&waiter->start_ns, 0);
	store_release(&waiter->claimed, 0);
}

static void name_holder(struct lock_record *lock)
{
	int32_t holder = load_relaxed(&lock->holder);

	if (!holder || load_relaxed(&lock->taker) == holder)
		return;
	thread_name_of(holder, lock->taker_name);
	store_relaxed(&lock->taker_stack, 0);
	store_relaxed(&lock->taker, holder);
}

void waiters_name_holders(struct recording *rec)
{
	struct waiter_record *waiter = live_records(rec, SECTION_WAITERS);
	struct lock_record *locks = live_records(rec, SECTION_LOCKS);
	uint32_t n = live_capacity(SECTION_WAITERS);
	uint32_t lock;

	for (; n; n--, waiter++) {
		/* Acquire pairs with the release in waiter_enter(). */
		if (!load_acquire(&waiter->start_ns))
			continue;
		lock = load_relaxed(&waiter->lock);
		if (lock < live_capacity(SECTION_LOCKS))
			name_holder(&locks[lock]);
	}
}
