/*
 * The sample table: open addressing in SECTION_SAMPLES. A key stays until its
 * lock's record is given to another lock; then its place is SAMPLE_GONE and may
 * get another key, but is never empty again.
 *
 * Two threads that enter one key at once may give it two records. That harms
 * nobody, as they are added up by who reads them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/record/samples.h"

#include "base/atomic.h"
#include "base/hash.h"
#include "sigsafe/live.h"
#include "sigsafe/locks/lock_others.h"
#include "sigsafe/locks/lock_table.h"

#define MAX_PROBES 64

/* The record with this key, or NULL; *vacant: a place for it, or NULL. */
static struct sample_record *find(struct recording *rec, uint64_t key,
				  struct sample_record **vacant)
{
	uint32_t capacity = live_capacity(SECTION_SAMPLES);
	struct sample_record *table = live_records(rec, SECTION_SAMPLES);
	uint32_t slot = hash_slot(key, capacity);

	*vacant = NULL;
	for (int probe = 0; probe < MAX_PROBES; probe++) {
		struct sample_record *record = &table[slot];
		/* Relaxed: the key guards nothing but its own counters. */
		uint64_t seen = load_relaxed(&record->key);

		if (seen == key)
			return record;
		if (!*vacant && (!seen || seen == SAMPLE_GONE))
			*vacant = record;
		if (!seen)
			break;
		slot = slot + 1 == capacity ? 0 : slot + 1;
	}
	return NULL;
}

/* Acquire pairs with the release in empty(): the counters are 0. */
static bool take(struct recording *rec, struct sample_record *record,
		 uint64_t key)
{
	uint64_t seen = load_relaxed(&record->key);

	if ((seen && seen != SAMPLE_GONE) ||
	    !cas_acq_rel(&record->key, &seen, key))
		return false;
	add_relaxed(&rec->section[SECTION_SAMPLES].used, 1);
	return true;
}

/* Where the lock finds it when it gives its record up. */
static void enter_in_list(struct recording *rec, struct lock_record *lock,
			  struct sample_record *record)
{
	const struct sample_record *table = live_records(rec, SECTION_SAMPLES);
	uint32_t first = load_relaxed(&lock->samples);

	do
		store_relaxed(&record->next, first);
	while (!cas_acq_rel(&lock->samples, &first,
			    (uint32_t)(record - table) + 1));
}

/* The record with this key, made if need be, or NULL: no room. */
static struct sample_record *find_or_make(struct recording *rec, uint64_t key)
{
	struct sample_record *record, *vacant;

	for (;;) {
		record = find(rec, key, &vacant);
		if (record || !vacant)
			return record;
		if (take(rec, vacant, key))
			return vacant;
	}
}

struct sample_record *sample_take_place(struct recording *rec, uint64_t key)
{
	uint32_t capacity = live_capacity(SECTION_SAMPLES);
	struct sample_record *table = live_records(rec, SECTION_SAMPLES);
	uint32_t slot = hash_slot(key, capacity);

	for (int probe = 0; probe < MAX_PROBES; probe++) {
		struct sample_record *record =
			&table[(slot + (uint32_t)probe) % capacity];

		if (take(rec, record, key))
			return record;
	}
	return NULL;
}

static bool has_much_room(const struct recording *rec)
{
	return load_relaxed(&rec->section[SECTION_SAMPLES].used) <
	       live_capacity(SECTION_SAMPLES) / 4 * 3;
}

/* Is it of a lock? Of stalls only those are that waited for one. */
static bool has_lock(const struct sample *sample)
{
	return sample->kind != SAMPLE_STALL ||
	       cause_has_lock(CAUSE_OF(sample->lock));
}

static uint32_t sample_lock(const struct sample *sample)
{
	return sample->kind == SAMPLE_STALL ? CAUSE_DETAIL(sample->lock)
					    : sample->lock;
}

/* The key of a lock's sample, for another lock. */
static uint64_t key_for(uint64_t key, uint32_t lock)
{
	if (SAMPLE_KIND(key) == SAMPLE_STALL)
		lock = CAUSE_WORD(CAUSE_OF(SAMPLE_LOCK(key)), lock);
	return SAMPLE_KEY(SAMPLE_KIND(key), lock, SAMPLE_STACK(key));
}

/* The record of a lock's sample, or of its stack for all other locks. */
static struct sample_record *of_lock(struct recording *rec,
				     const struct sample *sample)
{
	struct lock_record *locks = live_records(rec, SECTION_LOCKS);
	struct lock_record *lock = &locks[sample_lock(sample)];
	uint64_t key = SAMPLE_KEY(sample->kind, sample->lock, sample->stack);
	struct sample_record *record, *vacant;

	/* It may be of a record in the file. */
	if (unlikely(sample_lock(sample) >= live_capacity(SECTION_LOCKS)))
		return NULL;
	for (;;) {
		record = find(rec, key, &vacant);
		if (record)
			return record;
		if (!vacant || !has_much_room(rec))
			break;
		if (take(rec, vacant, key)) {
			enter_in_list(rec, lock, vacant);
			return vacant;
		}
	}
	lock = lock_others(rec, load_relaxed(&lock->kind));
	return find_or_make(rec, key_for(key, lock_index(rec, lock)));
}

void sample_add_to(struct sample_record *record, uint64_t ns, uint64_t events,
		   uint64_t max_ns)
{
	/* Relaxed: counters of their own. */
	add_relaxed(&record->total_ns, ns);
	/* What went on by another cause counts, too: no sample counts 0. */
	if (!events && !load_relaxed(&record->count))
		events = 1;
	add_relaxed(&record->count, events);
	max_relaxed(&record->max_ns, max_ns);
}

static void discard(struct recording *rec, enum sample_kind kind, uint64_t ns,
		    uint64_t events)
{
	add_relaxed(&rec->discarded[kind], events);
	add_relaxed(&rec->discarded_ns[kind], ns);
}

void sample_add_up(struct recording *rec, struct sample sample, uint64_t ns,
		   uint64_t events, uint64_t max_ns)
{
	struct sample_record *record = NULL;

	if (sample.stack && has_lock(&sample))
		record = of_lock(rec, &sample);
	else if (sample.stack)
		record = find_or_make(rec, SAMPLE_KEY(sample.kind, sample.lock,
						      sample.stack));
	if (sample.stack && !record)
		add_relaxed(&rec->lost[LOST_SAMPLE], 1);
	if (record)
		sample_add_to(record, ns, events, max_ns);
	else
		discard(rec, sample.kind, ns, events);
}

void sample_add(struct recording *rec, struct sample sample, uint64_t ns,
		uint64_t events)
{
	sample_add_up(rec, sample, ns, events, ns);
}

/* Release pairs with take(). */
void sample_give_place_back(struct recording *rec, struct sample_record *record)
{
	store_relaxed(&record->total_ns, 0);
	store_relaxed(&record->count, 0);
	store_relaxed(&record->max_ns, 0);
	sub_release(&rec->section[SECTION_SAMPLES].used, 1);
	store_release(&record->key, SAMPLE_GONE);
}

static void move(struct recording *rec, const struct sample_record *from,
		 uint32_t to)
{
	uint64_t key = load_relaxed(&from->key);
	uint64_t ns = load_relaxed(&from->total_ns);
	uint64_t events = load_relaxed(&from->count);
	struct sample_record *into;

	if (SAMPLE_KIND(key) >= SAMPLE_KINDS)
		return;
	into = find_or_make(rec, key_for(key, to));
	if (into) {
		sample_add_to(into, ns, events, load_relaxed(&from->max_ns));
		return;
	}
	add_relaxed(&rec->lost[LOST_SAMPLE], events);
	discard(rec, SAMPLE_KIND(key), ns, events);
}

void samples_move(struct recording *rec, struct lock_record *from,
		  struct lock_record *to)
{
	struct sample_record *table = live_records(rec, SECTION_SAMPLES);
	uint32_t next = load_relaxed(&from->samples);
	uint32_t capacity = live_capacity(SECTION_SAMPLES);

	store_relaxed(&from->samples, 0);
	/* No more than there are: a list that is damaged may be a ring. */
	for (uint32_t n = 0; next && next <= capacity && n < capacity; n++) {
		struct sample_record *sample = &table[next - 1];

		next = load_relaxed(&sample->next);
		move(rec, sample, lock_index(rec, to));
		sample_give_place_back(rec, sample);
	}
}
