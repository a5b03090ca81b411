/*
 * The module table. Owns the index from an object's addresses to its record.
 *
 * A record is filled in first and published in the index after that, so two
 * threads that meet the same object at once never wait for each other: one of
 * the two records is given up.
 *
 * Its number is given up for good. As an object that is in the index is found,
 * that is one number at most for each other thread that is about to enter the
 * same object at that moment; and none where it is loaded again as it was. To
 * take a number back would let a copy be made of it (modules_copy()) while it
 * is filled in anew. When none are left that is counted: LOST_MODULE.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/record/modules.h"

#include <string.h>

#include "base/atomic.h"
#include "base/hash.h"
#include "sigsafe/live.h"
#include "sigsafe/os/memory.h"
#include "sigsafe/record/build.h"
#include "sigsafe/walk/object.h"

#define SLOTS	   2048u
#define MAX_PROBES 128u

/*
 * Open addressing by the object's addresses. 0, or the record's number in the
 * low half and in the high half what tells whether it is the object's: where in
 * it the build-id lies; or one of enum tell. A slot changes from 0 once, then
 * stays until modules_reset().
 */
static uint64_t slots[SLOTS];

/*
 * The records, by number, and how many have been handed out. The recording has
 * a copy of each: a walk must be able to rely on what they say.
 */
static struct module_record records[SLOTS];
static uint32_t used = 1;

static bool charge(struct locator *locator, unsigned copies)
{
	if (locator->copies + copies > LOCATOR_COPIES)
		return false;
	locator->copies += copies;
	return true;
}

/* *known: false where that would take more copies than are left. */
static bool is_same_build(struct locator *locator,
			  const struct module_record *record,
			  const struct object *object, uint64_t slot,
			  struct build *read, bool *known)
{
	uint32_t tell = (uint32_t)(slot >> 32);

	*known = charge(locator, build_copies(read, record, tell));
	return *known && build_is_same(read, record, object, tell);
}

/*
 * The object's record (read->is_sure: see there), or NULL: then *vacant is the
 * slot where it belongs, or NULL if there is no room, or it can't be told.
 */
static struct module_record *find(struct locator *locator,
				  const struct object *object,
				  struct build *read, uint64_t **vacant)
{
	uint32_t slot = hash_slot(object->start ^ object->end << 16, SLOTS);
	bool known = true;

	for (unsigned i = 0; known && i < MAX_PROBES; i++) {
		uint64_t *at = &slots[(slot + i) % SLOTS];
		/* Acquire pairs with publish(): the record is filled in. */
		uint64_t seen = load_acquire(at);
		struct module_record *record = &records[(uint32_t)seen];

		*vacant = at;
		if (!seen)
			return NULL;
		if (record->map_start == object->start &&
		    record->map_end == object->end &&
		    is_same_build(locator, record, object, seen, read, &known))
			return record;
	}
	*vacant = NULL;
	return NULL;
}

/* How many records there may be, of which the first is none. */
static uint32_t limit(void)
{
	return (uint32_t)min_u64(live_capacity(SECTION_MODULES),
				 ARRAY_SIZE(records));
}

/* An unused record, or NULL: the table is full. */
static struct module_record *take_record(void)
{
	uint32_t number;

	/* Relaxed: hands out numbers, no more. Asked first, or it could wrap.
	 */
	if (load_relaxed(&used) >= limit())
		return NULL;
	number = add_relaxed(&used, 1);
	return number < limit() ? &records[number] : NULL;
}

static uint32_t number_of(const struct module_record *record)
{
	return (uint32_t)(record - records);
}

static struct module_record *copy_of(struct recording *rec,
				     const struct module_record *record)
{
	struct module_record *table = live_records(rec, SECTION_MODULES);

	return &table[number_of(record)];
}

/* Puts the record into the index, or gives it up for one that is there. */
static struct module_record *publish(struct locator *locator,
				     const struct object *object,
				     struct module_record *record,
				     uint32_t tell)
{
	uint64_t slot = (uint64_t)tell << 32 | number_of(record);
	struct module_record *copy = copy_of(locator->recording, record);
	struct build read = { .tell = TELL_PATH };
	struct module_record *known;
	uint64_t *vacant;

	/* Valid before the first stack names it. Pairs with the readers. */
	*copy = *record;
	store_release(&record->ready, 1);
	store_release(&copy->ready, 1);
	while (!(known = find(locator, object, &read, &vacant)) && vacant) {
		uint64_t empty = 0;

		/* Pairs with the load in find(). */
		if (cas_acq_rel(vacant, &empty, slot))
			return record;
	}
	store_release(&record->ready, 0);
	store_release(&copy->ready, 0);
	return known;
}

/* Not inlined: that it has no memory of a walk is rare. */
static cold uint32_t describe_alone(const struct object *object,
				    uintptr_t address,
				    struct module_record *record)
{
	struct memory memory;

	memory_begin(&memory, object);
	return object_describe(object, address, record, &memory);
}

static cold struct module_record *enter(struct locator *locator,
					const struct object *object,
					uintptr_t address, bool *is_sure)
{
	struct module_record *record = NULL;
	uint32_t tell;

	if (charge(locator, BUILD_PATH_COPIES))
		record = take_record();
	if (record) {
		*record = (struct module_record){ 0 };
		tell = locator->memory
			       ? object_describe(object, address, record,
						 locator->memory)
			       : describe_alone(object, address, record);
		tell = build_tell(object, record, tell);
		*is_sure = tell != TELL_PATH;
		record = publish(locator, object, record, tell);
	}
	if (!record)
		add_relaxed(&locator->recording->lost[LOST_MODULE], 1);
	return record;
}

static bool look_up(struct locator *locator, uintptr_t address,
		    struct located *found)
{
	struct recording *rec = locator->recording;
	struct build read = { .tell = TELL_PATH };
	struct module_record *record = NULL;
	struct object object;
	uint64_t *vacant;

	if (!object_find(address, &object))
		return false;
	if (rec)
		record = find(locator, &object, &read, &vacant);
	if (rec && !record && vacant)
		record = enter(locator, &object, address, &read.is_sure);
	else if (rec && !record)
		add_relaxed(&rec->lost[LOST_MODULE], 1);
	*found = (struct located){
		.start = object.part_start,
		.end = object.part_end,
		.bias = record ? record->bias : 0,
		.module = record,
		.number = record ? number_of(record) : 0,
		.is_sure = record && read.is_sure,
	};
	return true;
}

bool modules_move_to(struct locator *locator, uintptr_t address)
{
	struct located last = locator->last;

	locator->last = locator->other;
	locator->other = last;
	return modules_is_in(&locator->last, address) ||
	       look_up(locator, address, &locator->last);
}

uint64_t module_place(const void *address)
{
	struct locator locator = { .recording = live_recording() };

	return modules_locate(&locator, (uintptr_t)address, 0).word;
}

void modules_copy(struct module_record *table)
{
	for (uint32_t i = 1; i < min_u64(load_relaxed(&used), limit()); i++) {
		/* Acquire pairs with publish(). */
		if (load_acquire(&records[i].ready))
			table[i] = records[i];
	}
}

void modules_reset(void)
{
	for (uint32_t i = 0; i < min_u64(used, ARRAY_SIZE(records)); i++)
		records[i].ready = 0;
	used = 1;
	memset(slots, 0, sizeof(slots));
}
