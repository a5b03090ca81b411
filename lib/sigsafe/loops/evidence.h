/*
 * The evidence of why a run is slow: what the kernel says of the thread (two
 * system calls a reading), and what hooks have measured in the run. Owns the
 * slice: the run since the tick before.
 *
 * A run costs nothing until its timer is armed: the baseline may be older than
 * the run. Of such a time it is known how much processor time it had at most,
 * so a processor is never blamed for more than the thread has used.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOOPS_EVIDENCE_H
#define SIGSAFE_LOOPS_EVIDENCE_H

#include <ucontext.h>

#include "base/cause.h"
#include "sigsafe/locks/lock_costs.h"
#include "sigsafe/loops/usage.h"

struct lock_record;
struct thread;

/*
 * Written by the thread and by its handlers. The times of calls and locks are
 * of the slice; a tick that comes in between makes them of the next one.
 */
struct slice {
	struct usage base;   /* the latest reading */
	struct usage paused; /* the program was; at_ns 0: it is not */
	uint64_t run_ns;     /* the run that the rest is of */
	uint64_t cpu_ns;     /* before base, at most */
	uint64_t late_ns;    /* of the tick it ends with */
	/* Where the latest tick of the run found the thread. */
	enum call_state state;
	uint32_t call;	 /* as base/cause.h has it; CALL_NONE: unknown */
	bool is_of_disk; /* a read or write, of what may be a disk's */
	/* The call whose sleep the tick before broke; CALL_NONE: none. */
	uint32_t asleep_in;
	uint64_t awake_ns; /* when a hook first saw it elsewhere; 0: not yet */
	uint32_t own_call; /* that the latest stack is in, or CALL_NONE */
	/* Calls that blocked, and the longest of them. */
	uint64_t blocked_ns, longest_call_ns;
	uint32_t longest_call;
	/* Waits for locks by cause, and the locks. */
	uint64_t wait_ns[CAUSE_COUNT];
	struct lock_costs waits;
};

/*
 * A reading, unless there is one of this run. To be called where the timer is
 * about to be armed in a run. Signal-safe.
 */
void evidence_begin(struct thread *self);

/* The call (base/calls.h) that a system call is. Signal-safe. */
uint32_t evidence_call(long number);

/* A tick found the thread at interrupted, late_ns after it was due. */
void evidence_tick(struct thread *self, const ucontext_t *interrupted,
		   uint64_t late_ns);

/* A hook saw a call block, from since_ns to now_ns. Signal-safe. */
void evidence_blocked(struct thread *self, uint32_t call, uint64_t since_ns,
		      uint64_t now_ns);

/*
 * The calling thread waits for a lock, whose record is pinned until the end;
 * the end alone where somebody else began the wait for it. Of a join, holder is
 * the thread to end: the record is that of all joins. A tick up to the end
 * finds the thread waiting. Signal-safe.
 */
void evidence_lock_begin(struct lock_record *lock, uint64_t now_ns,
			 int32_t holder);
void evidence_lock_end(struct lock_record *lock, uint64_t since_ns,
		       uint64_t now_ns);

/*
 * Around what is done for a tick: the faults and sleeps of that, as the first
 * use of the recording's pages, are no evidence. (Its time is, as it is time of
 * the run.) Three system calls. Signal-safe.
 */
void evidence_pause(struct thread *self);
void evidence_resume(struct thread *self);

/* A slice that is over, and where its time went. */
struct slice_end {
	struct evidence evidence;
	uint32_t own_call;	 /* of its stack, or CALL_NONE */
	uint32_t longest_call;	 /* that a hook saw block; CALL_NONE: none */
	uint32_t other_call;	 /* where else it slept; CALL_NONE: unknown */
	struct lock_costs waits; /* the locks that it waited for */
};

/*
 * Ends the slice at now_ns; the next one begins. The run has had a tick, or a
 * call that blocked; it may be over. Two system calls, or none in a pause.
 * Signal-safe.
 */
struct slice_end evidence_take(struct thread *self, uint64_t now_ns);

#endif
