/*
 * What is kept of a loop's thread besides what each of its turns touches, which
 * is in struct thread. Thread-local memory is scarce: a library that is loaded
 * by dlopen(3) gets it from what libc keeps for all of these together.
 *
 * Owns the memory: a place for each record of SECTION_THREADS, at the same
 * index. It belongs to the thread that has claimed the record, and is never
 * unmapped: a page takes memory once it is used.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOOPS_LOOP_H
#define SIGSAFE_LOOPS_LOOP_H

#include "base/format.h"
#include "sigsafe/locks/lock_costs.h"
#include "sigsafe/loops/evidence.h"
#include "sigsafe/loops/seat.h"
#include "sigsafe/loops/way.h"

/* What is known of a lock and its holder (lib/sigsafe/loops/stall_locks.h). */
struct lock_tale {
	uint32_t index;	  /* in SECTION_LOCKS; 0: unknown */
	uint32_t release; /* stack of an unlock that ended a wait; 0: none */
	int32_t releaser; /* who did that */
	char holder_name[NAME_BYTES]; /* "": unknown */
	char releaser_name[NAME_BYTES];
};

/* A handler of a crash, while ticks are held (lib/sigsafe/signals/hold.c). */
struct crash {
	uintptr_t lowest, frame; /* that the stack goes down to, and from */
	int sig;
};

#define OWN_POLLS 4 /* polls of one descriptor that were its loop */

/* As struct thread: written by its thread, and by handlers on that. */
struct loop {
	uint64_t look_again_ns;	     /* at its name, without a threshold */
	struct histogram *histogram; /* or NULL: no loop yet, or no room */

	/* Of this run's stall (lib/sigsafe/loops/run_samples.h). */
	volatile uint32_t stack; /* of the latest tick */
	uint32_t samples;	 /* the first one's index + 1; 0: none */
	uint64_t discarded, discarded_ns;

	/* This run's stall, if ticks > 0 (lib/sigsafe/record/events.h). */
	struct event_record event;
	struct lock_costs costs;	    /* what locks have cost it */
	struct lock_tale tales[LOCK_COSTS]; /* of each of these */
	uint32_t event_longest; /* index in SECTION_LONGEST + 1; 0: none */
	uint64_t log_next_ns;	/* length at which the log tells it again */
	uint64_t place_next_ns; /* and at which its place is looked for */

	struct slice slice; /* of the run (lib/sigsafe/loops/evidence.h) */

	struct frame_shape seat_shape; /* of where its loop waits */
	struct wait_way way;	       /* to there */
	struct frame_shape shapes[FRAME_SHAPES];
	uint64_t seat_waits; /* it had made when it took the seat */
	struct seat left;    /* the seat before (lib/sigsafe/loops/seating.c) */
	uint64_t left_ns;    /* when it was left */
	uint64_t left_turns; /* that had been made there */
	uint64_t away;	     /* most waits made until it came back to one */
	volatile uint64_t nested_since_ns; /* the first of the run's */

	/* Waits beside those of its loop (lib/sigsafe/loops/beside.c). */
	struct seat beside;	  /* the latest; call.pc 0: none */
	uint64_t beside_since_ns; /* that is under way; 0: it is over */
	struct seat beside_of;	  /* the loop's, as it had waited before */
	uint64_t beside_waits;	  /* that had been made; 0: none */
	int64_t own_ns;	     /* waited where it polls, less that at its loop */
	uint64_t settled_ns; /* of what it has waited so much is in that */
	struct call_site own_polls[OWN_POLLS]; /* its loops before; pc 0 */

	/* Where it parks (lib/sigsafe/loops/park.c). */
	uint64_t waits_there; /* it had made when it last was at a place */
	struct thread_record *other; /* that took turns with it, or NULL */
	uint64_t parking_sleeps;     /* that its parking has taken, at most */
	uint32_t late_tries;	     /* in vain */
	bool has_blocked;	     /* after it had looked for events */
	bool was_taught;	     /* by who never waited */
	struct turn_way *seat_turn;  /* its wait's, at an epoll; or NULL */
	struct turn_way *cold_turn;  /* sigsafe/loops/cold.h; NULL: it isn't */
	uint32_t cold_tries;	     /* to find whether it is */
	uint32_t cold_elsewhere;     /* waits at other epoll descriptors */
	uint32_t parts_after;	     /* way_beside() of where it last parked */
	uintptr_t parts_sp;	     /* with this stack pointer */

	struct crash crash;

	/* Of the call it may be stuck in, as in its record. */
	volatile uint32_t blocked_stack;
	volatile uint64_t blocked_ns;
};

/*
 * The place of the record with this index, cleared; NULL: there is no memory.
 * Signal-safe.
 */
struct loop *loop_clear(uint32_t index);

#endif
