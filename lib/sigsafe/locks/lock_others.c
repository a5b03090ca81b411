/*
 * The sums of locks that have no record any more.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/locks/lock_others.h"

#include "base/atomic.h"
#include "sigsafe/live.h"
#include "sigsafe/record/samples.h"

/* Adds what one sum holds to another one. `from` is nobody else's. */
static void move(uint64_t *from, uint64_t *to)
{
	/* Relaxed: as all sums, they fit together when none is in flight. */
	add_relaxed(to, load_relaxed(from));
	store_relaxed(from, 0);
}

static void move_largest(uint64_t *from, uint64_t *to)
{
	max_relaxed(to, load_relaxed(from));
	store_relaxed(from, 0);
}

static void move_sums(struct lock_record *from, struct lock_record *to)
{
	/* Not 0 if the lock was destroyed while somebody owed: stays open. */
	move(&from->ledger.sum, &to->ledger.sum);
	move(&from->waits, &to->waits);
	move(&from->waited_sum, &to->waited_sum);
	move(&from->charged_ns, &to->charged_ns);
	move(&from->handoff_ns, &to->handoff_ns);
	move(&from->timeouts, &to->timeouts);
	move(&from->charges, &to->charges);
	move(&from->holder_changes, &to->holder_changes);
	move_largest(&from->longest_wait_ns, &to->longest_wait_ns);
	move_largest(&from->largest_charge_ns, &to->largest_charge_ns);
	move_largest(&from->most_waiters, &to->most_waiters);
	move_largest(&from->longest_hold_ns, &to->longest_hold_ns);
}

struct lock_record *lock_others(struct recording *rec, uint32_t kind)
{
	struct lock_record *table = live_records(rec, SECTION_LOCKS);
	struct lock_record *others;

	/* It was read from the file. */
	if (unlikely(kind >= LOCK_KIND_COUNT))
		kind = LOCK_MUTEX;
	others = &table[kind];
	if (unlikely(!load_acquire(&others->key))) {
		store_relaxed(&others->kind, kind);
		store_release(&others->key, LOCK_OTHERS);
	}
	return others;
}

void lock_others_add(struct recording *rec, struct lock_record *from)
{
	struct lock_record *others =
		lock_others(rec, load_relaxed(&from->kind));

	move_sums(from, others);
	samples_move(rec, from, others);
}
