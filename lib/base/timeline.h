/*
 * The timeline of a recording: the latest stalls (SECTION_EVENTS) and the
 * longest ones (SECTION_LONGEST), which may be the same.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_TIMELINE_H
#define BASE_TIMELINE_H

#include "base/format.h"

/*
 * Was the stall blocked in others than its call as well, for a tenth of that
 * time at least? Of all that time, in_call_ns is what its call had more of than
 * others, or more than that.
 */
static inline bool event_has_other_calls(const struct event_record *event)
{
	return event->in_call_ns < event->cause_ns[CAUSE_BLOCKED] / 10 * 8;
}

/*
 * Is this record of SECTION_LONGEST a stall that is nowhere else: neither in
 * the ring nor in the table before it? Signal-safe.
 */
bool timeline_is_only(const struct recording *rec, uint32_t longest);

/* Stalls that were entered and are in neither. Signal-safe. */
uint64_t timeline_missing(const struct recording *rec);

#endif
