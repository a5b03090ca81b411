/*
 * The timeline: stalls in order of time, in the ring SECTION_EVENTS. The oldest
 * are overwritten, and stay only if they are among the longest. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_RECORD_EVENTS_H
#define SIGSAFE_RECORD_EVENTS_H

#include "sigsafe/thread.h"

/* A stall has begun: enters it. */
void event_begin(struct thread *self, uint64_t begun_ns, uint32_t stack,
		 enum blocking_call call);

/* It has lasted for duration_ns so far, with ticks stacks taken. */
void event_update(struct thread *self, uint64_t duration_ns,
		  enum run_state state);

/* A slice of it, and where its time went. */
void event_explain(struct thread *self, const struct slice_end *end,
		   const struct causes *causes);

/*
 * Before an unlock that ends waits: which stall waits for the lock, for
 * event_released() after it; 0: none. The record is pinned.
 */
uint32_t event_take_waiting(struct lock_record *lock);

/*
 * The lock was let go of by the calling thread, by the code in stack. The
 * record is pinned.
 */
void event_released(struct recording *rec, const struct lock_record *lock,
		    uint32_t waiting, uint32_t stack);

/* The calling thread no longer waits for the lock. */
void event_waits_no_more(struct lock_record *lock);

/*
 * The stall that a thread, by its record, is in at now_ns, as long as has been
 * seen of it (base/lasting.h); begun_ns 0: in none.
 */
struct event_record event_lasting(const struct recording *rec,
				  const struct thread_record *thread,
				  uint64_t now_ns);

/* Copies a stall; its first word, which makes it valid, comes last. */
void event_put(struct event_record *to, const struct event_record *from);

/* Stores what its own thread may have changed of it since. */
void event_refresh(struct event_record *to, const struct event_record *from);

#endif
