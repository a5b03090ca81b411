/*
 * What the shim knows of the calling thread. Owns the thread-local state and
 * the thread's record in the recording.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_THREAD_H
#define SIGSAFE_THREAD_H

#include <pthread.h>

#include "base/format.h"
#include "sigsafe/loops/loop.h"
#include "sigsafe/loops/seat.h"
#include "sigsafe/os/sys.h"
#include "sigsafe/signals/transfer.h"

/* Who the thread is, asked of the kernel once; its name perhaps again. */
struct thread_identity {
	int32_t tid; /* 0: not asked yet */
	char name[NAME_BYTES];
	uint64_t named_ns; /* when it was last asked for the name, at most */
};

/* Does its mask leave the signals of faults open
 * (sigsafe/signals/fault_mask.h)? */
enum fault_mask {
	FAULT_MASK_UNKNOWN,
	FAULT_MASK_OPEN,
	FAULT_MASK_VARIES /* ask each time */
} __attribute__((packed));

/* Is its timer armed, and for what? */
enum arming {
	NOT_ARMED,
	ARMED,
	ARMED_FOR_LATER /* than the next run needs: that arms it anew */
} __attribute__((packed));

#define OWN_CALLS 2 /* that are no lock's, of a thread that parks in them */

/* How what the thread blocks in ends. */
enum block_end {
	BLOCK_BY_OTHERS,   /* for as long as it takes */
	BLOCK_AT_DEADLINE, /* or by others */
	BLOCK_SOON,	   /* the same, and that is near */
	BLOCK_SLEEPS	   /* by itself alone */
};

/* What the thread waits for events for. */
enum wait_purpose {
	WAITS_NOT,
	WAITS_TO_TURN, /* between runs */
	WAITS_NESTED   /* in a run, which goes on */
};

/*
 * Written only by its own thread and by signal handlers on that thread, so the
 * fields are volatile (a handler may come between any two instructions) and
 * need no atomics. Small, and without holes: what is not needed in each turn is
 * in struct loop, which says why.
 */
struct thread {
	/* The recording this thread enrolled in; another one: enrol again. */
	struct recording *recording;
	struct thread_record *record; /* NULL: not a loop, or table full */
	/* The record's, and only while that is: not in a forked child. */
	struct loop *loop;

	/* The run (lib/sigsafe/loops/run.h). */
	volatile uint64_t run_begun_ns; /* 0: between runs */
	volatile uint64_t shared_ns;	/* run time shared out up to here */
	/* Its threshold; FOR_EVER_NS: none. */
	volatile uint64_t stall_ns;
	/* A run shorter than this tells nothing new. */
	volatile uint64_t plain_ns;
	volatile uint32_t ticks;  /* stacks taken in this run */
	volatile uint32_t events; /* returned by the wait before it */
	volatile uint32_t nested; /* waits in this run that are nested */
	volatile bool is_doubted; /* run_doubt() */
	bool seat_is_old;	  /* a set's size is to be measured again */
	uint8_t lessons;	  /* places to park it has taught */
	uint8_t own_tries;	  /* to teach one for itself alone */
	struct seat seat;	  /* where its loop waits */

	/* The wait for a lock it is in (lib/sigsafe/loops/evidence.h). */
	struct lock_record *volatile lock; /* NULL: in none */
	volatile uint64_t lock_since_ns;
	volatile int32_t joined; /* the thread it waits for to end; 0: none */

	/* The call by which it may sleep in a futex; CALL_NONE: its own. */
	volatile uint32_t futex_call;

	/* Where it blocks, and may be parked (lib/sigsafe/loops/park.h). */
	struct call_site block; /* pc 0: it does not, as far as is known */
	volatile uint64_t block_ns;
	volatile uint64_t woken_run; /* woken in this one: was it parked? 0 */
	uintptr_t shallowest;	     /* stack pointer of where it has taught */
	uint16_t own[OWN_CALLS]; /* by these calls, with that: ends of pc; 0 */
	uint32_t parks;		 /* since it last waited for events */
	bool takes_turns;	 /* it has waited for events after it parked */
	bool looks;		 /* for events, the last time: no wait */
	volatile uint8_t block_end; /* enum block_end */
	volatile bool parked;	  /* a tick has found it so: its run is over */
	volatile bool tick_waits; /* for the answer to woken_run */
	bool jumps; /* or goes to contexts: lib/sigsafe/stacks/own_place.h */

	/* The call it may be stuck in, other than a wait; as in its record. */
	volatile uint32_t blocked_call;
	int32_t holder; /* lib/sigsafe/os/holder.c: its id, of no guest; or 0 */

	/* The timer. */
	volatile uint64_t armed_until_ns;
	int32_t *timer_place;	/* lib/sigsafe/loops/timer.c; or NULL */
	volatile int32_t timer; /* kernel id + 1; 0: none */
	volatile uint32_t timer_generation; /* tick_signal_generation it uses */
	volatile enum arming armed;
	volatile enum arming held; /* what it was, if timer_hold() stopped it */
	volatile bool disarmed;	   /* by us: a tick that comes yet is none */
	volatile bool timer_refused; /* do not try again */

	volatile bool is_quiet; /* lib/sigsafe/signals/quiet.h */

	/* The present wait (lib/sigsafe/loops/wait.h). */
	volatile bool tick_broke_wait; /* the call that is made last */
	volatile bool mask_is_kept; /* all signals are blocked, since a tick */
	volatile bool wait_submits; /* broken, it returns how much */
	volatile uint32_t waiting;  /* enum wait_purpose */
	volatile int errno_at_wait;
	volatile uint64_t interrupted_ns; /* by the host, after a tick; 0 */
	kernel_sigset mask_before_tick;
	volatile uint32_t handlers_at_wait;

	/* Host handlers entered on this thread
	 * (lib/sigsafe/signals/host_signal.h). */
	volatile uint32_t host_handlers; /* so many, modulo 2^32 */
	volatile uint32_t handler_depth; /* of these, not yet returned */
	uint32_t ends;			 /* calls of thread_end() */

	struct transfer
		transfer; /* the present one (lib/sigsafe/signals/transfer.h) */
	/* Where the kernel makes a call again
	 * (lib/sigsafe/signals/call_again.h); 0 */
	volatile uintptr_t call_again_pc;

	/* Of the signals that are kept open, the host opened these. */
	volatile kernel_sigset opened;

	volatile uint32_t in_flight; /* lib/sigsafe/os/freeze.h */
	volatile bool in_walk;	     /* lib/sigsafe/walk/walk.h */
	volatile bool in_fork;	     /* lib/sigsafe/walk/walker.c */
	volatile enum fault_mask fault_mask;
	bool switches; /* from context to context (shim/hook_context.c) */
	volatile uint32_t
		lost_reads;	/* of walks (lib/sigsafe/signals/fault.h) */
	volatile uint32_t ways; /* lib/sigsafe/walk/stack_reach.c; 0: none */
	char *volatile alternate_stack; /* its lower end; NULL: none of ours */
	stack_t hosts_stack;		/* lib/sigsafe/stacks/hosts_stack.h */

	struct thread_identity identity; /* thread_identify() */
	uint64_t random; /* lib/sigsafe/record/sampling.h; 0: none yet */
	struct sleeper *sleeper; /* lib/sigsafe/locks/sleepers.c; or NULL */
};

/*
 * In its key destructors a thread may still wait, and is then taken on anew,
 * until its end has come twice: after their last round nobody would give back
 * what it has. Signal-safe.
 */
static inline bool thread_is_over(const struct thread *self)
{
	return self->ends > 1;
}

extern __thread struct thread thread_self
	__attribute__((tls_model("initial-exec")));

/* Set by lib/setup before any thread enrols: its destructor is thread_end(). */
extern pthread_key_t thread_key;

/*
 * Enrols the thread as a possible loop in the live recording; a forked child's
 * thread forgets what it was in its parent. self->record stays NULL where
 * stalls are not watched or the table is full (counted). Signal-safe.
 */
void thread_enrol(struct thread *self);

/* Who the calling thread is. Signal-safe. */
const struct thread_identity *thread_identify(void);

/* The same, with the name that it has by now. A system call. Signal-safe. */
const struct thread_identity *thread_identify_anew(void);

/*
 * The same with the name that it had at now_ns, or 10 ms before that: so often
 * it is asked for at most. Signal-safe.
 */
const struct thread_identity *thread_identify_at(uint64_t now_ns);

/* The thread ends: gives its timer and, if it was no loop, its record back. */
void thread_end(void *self);

/*
 * Reads the thread's name anew, as it is often set late, and with it its
 * threshold. Signal-safe.
 */
void thread_read_name(struct thread *self);

/*
 * The same where thresholds go by names; but not in a stall, which is one to
 * its end. To be called before a run is called a stall. Signal-safe.
 */
void thread_look_at_name(struct thread *self);

/*
 * The thread, whose record there is, blocks in a call that may last, and does
 * so no more. Signal-safe.
 */
void thread_blocks(struct thread *self, uint32_t call, uint32_t stack,
		   uint64_t since_ns);
void thread_blocks_no_more(struct thread *self);

#endif
