/*
 * A process, as a recording or its texts tell of it: what reports are made of.
 *
 * A text holds less than a recording; what it does not hold is 0 here. All of
 * it lies in the process's own arena. Not signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_PROCESS_H
#define REPORT_PROCESS_H

#include "base/format.h"
#include "base/law.h"
#include "base/loops.h"
#include "report/arena.h"

/* A file that was mapped executable. */
struct module {
	const char *path;
	const char *name; /* base name, or the process's where that is a link */
	uint64_t bias;	  /* run-time address - address in the file */
	bool bias_is_known;  /* a text tells where text_offset was mapped */
	uint64_t text_start; /* [text_start, text_end): run-time addresses */
	uint64_t text_end;
	uint64_t text_offset; /* in the file */
	uint32_t build_id_bytes;
	uint8_t build_id[BUILD_ID_BYTES];
	uint64_t identity; /* without a build-id; base/identity.h, 0: unknown */
	uint64_t mapped_ns; /* not before it, by CLOCK_REALTIME; 0: unknown */
	struct object *object; /* owned by struct symbols */
};

/* One call in a stack; inlined calls have one each. */
struct call {
	const char *function; /* object+0xoffset where it has no name */
	const char *source;   /* file name, or NULL */
	unsigned line;	      /* 0: unknown */
	bool is_helper;	      /* inlined, and meant to be: declared inline */
	const char *object;   /* base name of the module, "" for JIT code */
};

struct frame {
	struct module *module; /* NULL: none, so address is all that is known */
	uint64_t address;      /* run-time, behind the instruction */
	const char *function;  /* as a text names it, or NULL */
};

struct stack {
	struct frame *frames; /* leaf first */
	uint32_t depth;
	/* Filled by symbols_name_all(). */
	struct call *calls; /* leaf first */
	uint32_t calls_count;
};

struct lock {
	const char *name;   /* the variable's, or NULL */
	const char *object; /* base name of where it lies, or NULL: heap */
	enum lock_kind kind;
	enum sample_kind profile; /* in which its unlocks are */
	struct module *module;
	uint64_t address;
	uint64_t waits;
	uint64_t waited_ns; /* also waits that have not ended */
	uint64_t longest_wait_ns;
	uint64_t waiting; /* waits that have not ended */
	uint64_t timeouts;
	uint64_t charges; /* unlocks that found waiters */
	uint64_t charged_ns;
	uint64_t most_waiters;
	uint64_t longest_hold_ns; /* of those that made others wait */
	bool is_on_stack;
	uint64_t offset;	   /* in the module */
	int holder;		   /* thread, when somebody last came; 0: ? */
	int taker;		   /* that last waited for it and got it; 0 */
	const char *taker_name;	   /* or NULL */
	struct stack *taker_stack; /* or NULL */
	struct stack *first;	   /* of its first wait, or NULL */
};

/* A wait that had not ended when the recording did. */
struct open_wait {
	struct lock *lock; /* or NULL */
	const char *thread;
	int tid;
	uint64_t since_ns;   /* since the process started */
	uint64_t waited_ns;  /* 0: killed since, and nobody knows when */
	struct stack *stack; /* or NULL */
};

/* Why, in a sample of stalls or in a stall of the timeline. */
struct why {
	enum cause cause;
	const char *call;  /* it was blocked in, or "" */
	struct lock *lock; /* it waited for, or NULL */
};

struct sample {
	struct stack *stack;
	struct lock *lock; /* NULL for stalls */
	struct why why;
	uint64_t total_ns;
	uint64_t count;
	uint64_t max_ns;
};

struct samples {
	bool is_known; /* the file holds this kind of profile */
	struct sample *list;
	size_t count;
	uint64_t discarded; /* not in a sample, but in the sums */
	uint64_t discarded_ns;
};

struct loop {
	const char *name; /* the thread's */
	int tid;
	const char *wait_call;
	uint64_t turns;
	uint64_t watched_ns; /* from its first wait on */
	uint64_t busy_ns;    /* the part of it not in a wait */
	uint64_t longest_ns; /* run, one that has not ended included */
	uint64_t events;     /* that its waits returned */
	struct run_lengths lengths;
	uint64_t threshold_ns; /* 0: none */
	uint64_t stalls;
	uint64_t stalled_ns;
	uint64_t left; /* runs that never came back, without a stall's weight */
	uint64_t left_ns;
	uint64_t nested;	    /* waits made inside its runs */
	uint64_t nested_most;	    /* in one run */
	const char *nested_call;    /* of that run, or "" */
	struct stack *nested_stack; /* that made one of those, or NULL */
	struct stall *left_last;    /* of them, as far as is known; or NULL */
	uint64_t unseen;	    /* stalls without a stack */
	/* A run longer than the threshold that has not ended; 0: none. */
	uint64_t unfinished_ns;
	const char *stuck_in; /* the call it was in at the end, or "" */
	uint64_t stuck_ns;
	struct stack *stuck_stack; /* that called it, or NULL */
	bool is_loop;		   /* it came back to its wait at least once */
};

struct stall {
	uint64_t begun_ns; /* since the process started */
	uint64_t duration_ns;
	const char *thread;
	int tid;
	uint32_t ticks;
	uint32_t events;      /* that the wait before it returned */
	const char *call;     /* it was blocked in for longest, or "" */
	bool has_other_calls; /* and in others for a tenth of that time */
	struct lock *lock;    /* it waited for longest, or NULL */
	uint64_t cause_ns[CAUSE_COUNT];
	/* The evidence, as in struct event_record. */
	uint64_t cpu_ns, late_ns;
	uint32_t voluntary, involuntary, minor_faults, major_faults;
	/* Who had the lock; if release is known, who let go of it first. */
	int holder;		 /* thread; 0: unknown */
	const char *holder_name; /* or "" */
	struct stack *release;	 /* or NULL */
	enum run_state state;
	struct stack *stack;  /* with most of its time, or NULL */
	struct stack *apart;  /* where a tenth of the time was not; or NULL */
	struct stack *latest; /* or NULL */
};

#define MAX_LOSSES 32

struct process {
	struct arena arena;
	const char *file;
	const char *comm;
	const char *host;
	const char *tool; /* that recorded it */
	int pid;
	uint64_t start_realtime_ns;
	uint64_t lived_ns; /* until it ended, or was last seen */
	enum recording_end end;
	bool is_running; /* now, with end END_RUNNING; else it was killed */
	int end_detail;
	const char *identity; /* of texts: the line they have in common */
	bool has_text[SAMPLE_KINDS];

	struct thresholds thresholds; /* none: stalls are not watched */
	uint64_t min_wait_ns;
	uint64_t rate_ns;     /* a stack stands for so much; 0: for itself */
	bool charges_like_go; /* the stacks; the locks' sums are exact */

	uint64_t cause_ns[CAUSE_COUNT]; /* of all stalls with a stack */
	struct loop *loops;
	size_t loops_count;
	struct lock **locks;
	size_t locks_count;
	struct samples samples[SAMPLE_KINDS];
	struct stall *stalls; /* in order of time; the latest and the longest */
	size_t stalls_count;
	struct open_wait *open_waits;
	size_t open_waits_count;

	/* By the profile of what was charged; of waits: what is not charged. */
	bool has_law[SAMPLE_KINDS];
	struct law law[SAMPLE_KINDS];
	uint64_t in_flight;
	/* What was lost, each a line of words. */
	const char *losses[MAX_LOSSES];
	size_t losses_count;
	uint64_t damaged;
};

/* A process of which nothing is known yet. Pairs with process_free(). */
struct process *process_new(const char *file);
void process_free(struct process *process);

/* Further losses than MAX_LOSSES are lost. */
void process_add_loss(struct process *process, const char *loss);

/* What to call the module with this path, in words. */
const char *process_module_name(struct process *process, const char *path);

/* By function and object: 0 where both are of the same function. */
int compare_calls(const struct call *a, const struct call *b);

/* The part of path behind the last slash. */
const char *base_name(const char *path);

#endif
