/*
 * The timeline: stalls in order of time, in the ring SECTION_EVENTS. The oldest
 * are overwritten (counted). Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_EVENTS_H
#define SIGSAFE_EVENTS_H

#include "sigsafe/thread.h"

/*
 * A stall has begun: enters it and returns its number, by which its thread
 * finds it again.
 */
uint32_t event_begin(struct thread *self, uint64_t begun_ns, uint32_t stack,
		     enum blocking_call call);

/* It has lasted for duration_ns so far, with ticks stacks taken. */
void event_update(struct thread *self, uint64_t duration_ns, bool ended);

#endif
