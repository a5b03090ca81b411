/*
 * Decoding of locks, and of the waits for them that had not ended.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/decoder.h"

static void decode_place(struct decoder *d, struct lock *lock, uint64_t place)
{
	if (FRAME_MODULE(place) < d->rec->section[SECTION_MODULES].capacity)
		lock->module = decode_module(d, place);
	lock->is_on_stack = place == PLACE_STACK;
	if (!lock->module)
		return;
	lock->object = lock->module->name;
	lock->offset = FRAME_OFFSET(place);
}

static void decode_lock(struct decoder *d, struct lock *lock,
			const struct lock_record *record)
{
	struct law law = law_of_lock(record, d->now_ns);

	decode_place(d, lock, record->place);
	if (record->key == LOCK_OTHERS)
		lock->name = LOCK_OTHERS_NAME;
	lock->kind = record->kind;
	lock->profile = law_profile_of(record->kind);
	lock->address = record->address;
	lock->waits = record->waits;
	lock->waited_ns = law.waited_ns;
	lock->longest_wait_ns = record->longest_wait_ns;
	lock->waiting = LEDGER_N(record->ledger.base_n);
	lock->timeouts = record->timeouts;
	lock->charges = record->charges;
	lock->charged_ns = record->charged_ns;
	lock->most_waiters = record->most_waiters;
	lock->longest_hold_ns = record->longest_hold_ns;
	lock->holder = record->holder;
	lock->taker = record->taker;
	lock->taker_name = decode_name(d, record->taker_name);
	lock->taker_stack = decode_stack(d, record->taker_stack);
	lock->first = decode_stack(d, record->first_stack);
}

static void decode_law(struct decoder *d)
{
	for (unsigned kind = 0; kind < SAMPLE_KINDS; kind++) {
		d->process->has_law[kind] = d->rec->watches_locks;
		d->process->law[kind] = law_of(d->rec, kind, d->now_ns);
	}
}

void decode_locks(struct decoder *d)
{
	const struct lock_record *record =
		section_records(d->rec, SECTION_LOCKS);
	struct process *process = d->process;
	size_t n = d->rec->section[SECTION_LOCKS].capacity;

	decode_law(d);
	d->lock = decode_alloc(d, n, sizeof(*d->lock));
	process->locks = decode_alloc(d, n, sizeof(*process->locks));
	for (size_t i = 0; i < n; i++) {
		if (!record[i].key || !record[i].waits)
			continue;
		d->lock[i] = decode_alloc(d, 1, sizeof(struct lock));
		decode_lock(d, d->lock[i], &record[i]);
		process->locks[process->locks_count++] = d->lock[i];
	}
}

void decode_open_waits(struct decoder *d)
{
	const struct waiter_record *record =
		section_records(d->rec, SECTION_WAITERS);
	struct process *process = d->process;
	size_t n = d->rec->section[SECTION_WAITERS].capacity;

	process->open_waits = decode_alloc(d, n, sizeof(struct open_wait));
	for (size_t i = 0; i < n; i++) {
		if (!record[i].start_ns)
			continue;
		process->open_waits[process->open_waits_count++] =
			(struct open_wait){
				.lock = d->lock[record[i].lock],
				.thread = decode_name(d, record[i].name),
				.tid = record[i].tid,
				.since_ns = time_since(d->rec->start_ns,
						       record[i].start_ns),
				.waited_ns = time_since(record[i].start_ns,
							d->now_ns),
				.stack = decode_stack(d, record[i].stack),
			};
	}
}
