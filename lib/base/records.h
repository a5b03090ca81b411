/*
 * The records of a recording (base/format.h), one struct a section.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_RECORDS_H
#define BASE_RECORDS_H

#include "base/calls.h"
#include "base/cause.h"
#include "base/histogram.h"
#include "base/lock_kind.h"
#include "base/sample_record.h"
#include "base/threshold.h"

#define NAME_BYTES     16 /* a thread's name, as the kernel keeps it */
#define PATH_BYTES     400
#define BUILD_ID_BYTES 20
#define MAX_DEPTH      128

/*
 * A frame: bit 63 exact, bits 48 to 62 module, bits 0 to 47 offset.
 *
 * offset is in the module's own addresses (run-time address minus load bias)
 * and points behind the instruction: a return address as it is, an interrupted
 * program counter plus one (and marked exact). So offset - 1 is to be looked
 * up, always. Module 0 is no module: offset is the run-time address (JIT).
 */
#define FRAME_EXACT	   (UINT64_C(1) << 63)
#define FRAME_MODULE(f)	   ((uint32_t)((f) >> 48 & 0x7fff))
#define FRAME_OFFSET(f)	   ((f) & ((UINT64_C(1) << 48) - 1))
#define MAX_MODULES	   0x7fffu
#define frame_pack(mod, o) ((uint64_t)(mod) << 48 | FRAME_OFFSET(o))

/* Index 0 is never used, so that a frame can say "no module". */
struct module_record {
	uint64_t ready;	    /* the validity word */
	uint64_t map_start; /* run-time addresses [map_start, map_end) */
	uint64_t map_end;
	uint64_t bias; /* run-time address - address in the file's own terms */
	/* The executable segment at run time, and its offset in the file. */
	uint64_t text_start;
	uint64_t text_end;
	uint64_t text_offset;
	/* A second one, as of code that a linker has put apart; 0: none. */
	uint64_t apart_start;
	uint64_t apart_end;
	uint64_t apart_offset;
	uint32_t build_id_bytes; /* 0: none */
	uint8_t build_id[BUILD_ID_BYTES];
	/* Without a build-id: base/identity.h; 0: unknown, or it has one. */
	uint64_t identity;
	char path[PATH_BYTES]; /* absolute, or [vdso] */
};

enum thread_state {
	THREAD_FREE,
	THREAD_CLAIMED,
	THREAD_LIVE,
	THREAD_ENDED
};

/*
 * A thread that waits for events. A *run* goes from the return of one wait to
 * the call of the next. A thread is a loop once it has come back: waits >= 2,
 * or a stall did.
 */
struct thread_record {
	uint32_t state; /* enum thread_state; valid: LIVE or ENDED */
	int32_t tid;
	char name[NAME_BYTES];
	uint32_t wait_call; /* enum blocking_call: the wait it last made */
	uint32_t ticks;	    /* stacks taken in the present run */
	uint64_t waits;	    /* waits that returned */
	uint64_t events;    /* that these waits returned */
	uint64_t first_wait_ns;
	uint64_t run_begun_ns;	 /* 0: between runs */
	uint64_t latest_ns;	 /* last time it entered or left a wait */
	uint64_t busy_ns;	 /* in runs that ended */
	uint64_t longest_run_ns; /* of runs that ended */
	/*
	 * Stalls that came back. stalled_ns = sum of its stacks' shares +
	 * unseen_ns.
	 */
	uint64_t stalls;
	uint64_t stalled_ns;
	uint64_t unseen;    /* stalls during which no stack could be taken */
	uint64_t unseen_ns; /* part of stalled_ns */
	uint64_t cause_ns[CAUSE_COUNT]; /* stalled_ns by cause, but unseen_ns */
	/* Runs that were as long and never came back: the loop was left. */
	uint64_t left;
	uint64_t left_ns;
	/* A stall it is in has been shared out up to here, by cause. */
	uint64_t run_shared_ns; /* up to run_begun_ns: not at all */
	uint64_t run_cause_ns[CAUSE_COUNT];
	/* The call it may be stuck in, other than a wait. */
	uint32_t blocked_call;	/* CALL_NONE: in none */
	uint32_t blocked_stack; /* that called it, or 0 */
	uint64_t blocked_ns;	/* since when */
	/* Waits that it made inside its runs, by a callback. */
	uint64_t nested;
	uint32_t nested_most;  /* in one run */
	uint32_t nested_call;  /* enum blocking_call: one of that run */
	uint32_t nested_stack; /* that made it, or 0 */
	uint32_t histogram;    /* index in SECTION_HISTOGRAMS + 1; 0: none */
	uint64_t stall_ns; /* its threshold; 0: none of its runs is a stall */
	/*
	 * The descriptor plus 1 that its loop waits at or runs from, 0 for
	 * none, yet; negative: it did, and parks, or may be no loop any more.
	 */
	int32_t epoll;
};

/*
 * The ledger of one lock (lib/sigsafe/locks/ledger.h), changed in one 16-byte
 * step:
 *
 *   sum     sum of the waiters' start times minus what ended waits are owed,
 *           modulo 2^64
 *   base_n  bits 14 to 63: time of the last charge, modulo 2^50 ns
 *           bit 13: since then the lock is held by some who share it
 *           bits 0 to 12: n, the number of waiters
 */
struct ledger {
	uint64_t sum;
	uint64_t base_n;
} __attribute__((aligned(16)));

#define LEDGER_BASE_SHIFT 14
#define LEDGER_N_BITS	  13
#define LEDGER_N(base_n)  ((base_n) & ((1u << LEDGER_N_BITS) - 1))
#define LEDGER_SHARED	  (UINT64_C(1) << LEDGER_N_BITS)

/* What Go's rule keeps of a lock (sigsafe/locks/go_rule.h), if asked for. */
struct go_queue {
	uint64_t head_ns; /* when the first in the queue came */
	uint64_t tail_ns; /* when the last one did */
	uint32_t queued;
	uint32_t others; /* behind the first, as Go counts them */
	uint32_t is_one_awake;
	uint32_t locked;
};

/* As a lock's place: in no module, but on a thread's stack. */
#define PLACE_STACK FRAME_EXACT

struct lock_record {
	struct ledger ledger;
	uint64_t key;	  /* the validity word: address, or LOCK_... below */
	uint64_t address; /* of the lock, in the process */
	uint64_t place;	  /* a frame word: module and offset; or PLACE_STACK */
	uint32_t kind;	  /* enum lock_kind */
	uint32_t owed;	  /* timed-out waits that no unlock has paid for yet */
	/*
	 * Sums. Waits ended or not: waited = waited_sum + n x now. At any
	 * instant with no operation in flight (now: any later time)
	 *   charged + handoff + (n x now - ledger.sum) = waited_sum + n x now
	 */
	uint64_t waits;
	uint64_t waited_sum;
	uint64_t charged_ns;
	uint64_t handoff_ns;
	uint64_t timeouts;	  /* waits that ended without the lock */
	uint64_t charges;	  /* unlocks that found waiters */
	uint64_t longest_wait_ns; /* of waits that ended */
	uint64_t largest_charge_ns;
	uint64_t most_waiters;	  /* at once */
	uint64_t longest_hold_ns; /* of what was seen while somebody waited */
	uint64_t holder_changes;  /* charges to another thread than before */
	int32_t holder;	      /* who held it when somebody last came; 0: ? */
	int32_t last_charged; /* thread */
	/* The last that waited for it and got it, and where; or the holder. */
	int32_t taker;
	uint32_t taker_stack; /* or 0 */
	char taker_name[NAME_BYTES];
	uint32_t first_stack; /* of its first wait, for a lock in the heap */
	uint32_t leaving;     /* threads that share it and are letting go now */
	uint32_t pins;	      /* in use; lib/sigsafe/locks/lock_table.c */
	uint32_t samples;     /* its first sample's index + 1, or 0 */
	/* For how long threads waited for the locks that had this record. */
	uint32_t inherited_us;
	uint32_t stall; /* an event that waits for it: its stamp + 1, or 0 */
	struct go_queue go;
};

#define LOCK_RETIRED UINT64_C(1) /* destroyed: keeps its sums, not its key */
/*
 * At the index of a kind: the sums of all locks of this kind whose record was
 * given to another one.
 */
#define LOCK_OTHERS	 UINT64_C(2)
#define LOCK_OTHERS_NAME "others"
#define LOCK_MAKING	 UINT64_C(3) /* being given to another lock */

/*
 * A thread that waits for a lock, while it does: what is left of it at the end
 * is an open wait.
 */
struct waiter_record {
	uint64_t start_ns; /* the validity word */
	uint32_t lock;	   /* index in SECTION_LOCKS */
	uint32_t stack;	   /* or 0 */
	int32_t tid;
	uint32_t claimed; /* 1: in use */
	char name[NAME_BYTES];
};

/* Where a run is that has become a stall. */
enum run_state {
	RUN_LASTS,     /* or ended with the process, by force */
	RUN_CAME_BACK, /* to the loop's wait */
	RUN_LEFT,      /* no stall: the thread ended, or does something else */
	RUN_STATES
};

/* A stall, for the timeline. */
struct event_record {
	uint64_t begun_ns;    /* start of the run; the validity word */
	uint64_t duration_ns; /* so far, while it lasts */
	uint32_t thread;      /* index in SECTION_THREADS */
	uint32_t stack;	      /* with most of its time so far, or 0 */
	uint32_t ticks;
	uint32_t events; /* that the wait before it returned */
	uint32_t call;	 /* it was blocked in, as base/cause.h; or CALL_NONE */
	uint32_t state;	 /* enum run_state */
	int32_t tid;
	uint32_t stamp;	 /* its number, as they were handed out */
	uint32_t apart;	 /* where the time was not in stack, or 0 */
	uint32_t latest; /* of the latest tick, or 0 */
	char name[NAME_BYTES];
	/* Why: duration_ns by cause, and the evidence. */
	uint64_t cause_ns[CAUSE_COUNT];
	uint64_t cpu_ns;      /* processor time of the thread meanwhile */
	uint64_t late_ns;     /* a tick came so much too late, at most */
	uint64_t in_call_ns;  /* in call, less that in others */
	uint32_t voluntary;   /* switches to other threads: it slept */
	uint32_t involuntary; /* and: it was preempted */
	uint32_t minor_faults;
	uint32_t major_faults;
	/* The lock it waited for longest, and who had it when last looked. */
	uint64_t lock;	     /* its address; 0: none */
	uint32_t lock_index; /* in SECTION_LOCKS, if that has the address yet */
	int32_t holder;	     /* thread; 0: unknown; -1: several */
	char holder_name[NAME_BYTES]; /* "": unknown */
	/* Written by who let go of it first. */
	uint32_t release; /* stack of the unlock; 0: none seen */
	int32_t releaser;
	char releaser_name[NAME_BYTES];
};

/*
 * A stall that was among the longest when it was entered. It may be in the ring
 * as well, and (for a moment) twice here: a stall is known by its stamp.
 */
struct longest_record {
	uint32_t claimed; /* 1: being written */
	uint32_t reserved;
	struct event_record event;
};

/* In the arena; word 0 of the arena is never used. Frames: leaf first. */
struct stack_record {
	uint32_t next;	/* in the same hash chain; 0: end */
	uint32_t depth; /* number of frames, at least 1 */
	uint64_t hash;
	uint64_t frame[];
};

#define STACK_RECORD_WORDS(depth)                                              \
	(sizeof(struct stack_record) / sizeof(uint64_t) + (depth))

#endif
