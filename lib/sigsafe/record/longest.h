/*
 * The longest stalls, in the table SECTION_LONGEST: so that many short ones do
 * not drive a long one out of the timeline. Lock-free: a record is claimed to
 * be written, and who finds it claimed goes on without it. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_RECORD_LONGEST_H
#define SIGSAFE_RECORD_LONGEST_H

#include "base/format.h"

/*
 * Enters a stall as it stands, or what has become of it since, if it is longer
 * than the shortest in the table. *place: where it was entered before (0:
 * nowhere), and where it is now.
 */
void longest_enter(struct recording *rec, const struct event_record *event,
		   uint32_t *place);

/* The stall with this stamp, if it is in the table, or NULL. */
struct event_record *longest_find(struct recording *rec, uint32_t stamp);

#endif
