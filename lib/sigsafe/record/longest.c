/*
 * The longest stalls.
 *
 * A record whose writer was interrupted for good (by a longjmp out of a signal
 * handler) stays claimed, and is lost to the table.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/record/longest.h"

#include "base/atomic.h"
#include "sigsafe/live.h"
#include "sigsafe/record/events.h"

/* So often others may be quicker before a stall is left to the ring. */
#define MAX_ATTEMPTS 8

static bool claim(struct longest_record *record)
{
	uint32_t nobody = 0;

	/* Acquire pairs with the release in give_back(). */
	return cas_acq_rel(&record->claimed, &nobody, 1);
}

static void give_back(struct longest_record *record)
{
	store_release(&record->claimed, 0);
}

static bool is_of(const struct longest_record *record, uint32_t stamp)
{
	return load_relaxed(&record->event.begun_ns) &&
	       load_relaxed(&record->event.stamp) == stamp;
}

static uint64_t length_of(const struct longest_record *record)
{
	return load_relaxed(&record->event.begun_ns)
		       ? load_relaxed(&record->event.duration_ns)
		       : 0;
}

/*
 * The shortest record that nobody is writing, an empty one if there is one; or
 * NULL. With that, no record is shorter than the floor.
 */
static struct longest_record *find_shortest(struct recording *rec)
{
	struct longest_record *record = live_records(rec, SECTION_LONGEST);
	struct longest_record *shortest = NULL;
	uint32_t n = live_capacity(SECTION_LONGEST);
	uint64_t least_ns = UINT64_MAX;
	bool is_sure = true;

	for (; n && least_ns; n--, record++) {
		if (load_relaxed(&record->claimed)) {
			is_sure = false;
		} else if (length_of(record) < least_ns) {
			least_ns = length_of(record);
			shortest = record;
		}
	}
	if (is_sure && shortest)
		max_relaxed(&rec->longest_floor_ns, least_ns);
	return shortest;
}

/* True: it is in the table, and is up to date now. */
static bool refresh(struct longest_record *record,
		    const struct event_record *event)
{
	bool is_there;

	if (!is_of(record, event->stamp) || !claim(record))
		return false;
	is_there = is_of(record, event->stamp);
	if (is_there)
		event_refresh(&record->event, event);
	give_back(record);
	return is_there;
}

/* False: others were quicker, and the record is no longer the shortest. */
static bool replace(struct longest_record *record,
		    const struct event_record *event)
{
	bool is_shorter;

	if (!claim(record))
		return false;
	is_shorter = length_of(record) < event->duration_ns;
	if (is_shorter)
		event_put(&record->event, event);
	give_back(record);
	return is_shorter;
}

void longest_enter(struct recording *rec, const struct event_record *event,
		   uint32_t *place)
{
	struct longest_record *table = live_records(rec, SECTION_LONGEST);

	if (*place && refresh(&table[*place - 1], event))
		return;
	*place = 0;
	for (int i = 0; i < MAX_ATTEMPTS; i++) {
		struct longest_record *shortest;

		if (event->duration_ns <= load_relaxed(&rec->longest_floor_ns))
			return;
		shortest = find_shortest(rec);
		if (!shortest || event->duration_ns <= length_of(shortest))
			return;
		if (replace(shortest, event)) {
			*place = (uint32_t)(shortest - table) + 1;
			return;
		}
	}
}

struct event_record *longest_find(struct recording *rec, uint32_t stamp)
{
	struct longest_record *record = live_records(rec, SECTION_LONGEST);
	uint32_t n = live_capacity(SECTION_LONGEST);

	for (; n; n--, record++) {
		if (is_of(record, stamp))
			return &record->event;
	}
	return NULL;
}
