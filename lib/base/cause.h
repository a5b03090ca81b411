/*
 * Why a loop did not turn: from the evidence of a slice of a stall to its
 * causes. A slice goes from one tick to the next. Signal-safe, all of it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_CAUSE_H
#define BASE_CAUSE_H

#include "base/units.h"

/* Name, key in texts, words in reports. */
#define CAUSES(X)                                                              \
	X(CAUSE_UNKNOWN, "unknown", "cause unknown")                           \
	X(CAUSE_CPU, "cpu", "on CPU")                                          \
	X(CAUSE_BLOCKED, "blocked", "blocked")                                 \
	X(CAUSE_LOCK, "lock", "waiting for a lock")                            \
	X(CAUSE_SEMAPHORE, "semaphore", "waiting for a semaphore")             \
	X(CAUSE_BARRIER, "barrier", "waiting at a barrier")                    \
	X(CAUSE_JOIN, "join", "waiting for a thread to end")                   \
	X(CAUSE_FAULTS, "faults", "page faults")                               \
	X(CAUSE_UNSCHEDULED, "unscheduled", "not scheduled")

enum cause {
#define X(name, key, words) name,
	CAUSES(X)
#undef X
	CAUSE_COUNT
};

/* Is it a wait that a lock_record is kept of? */
static inline bool cause_has_lock(uint32_t cause)
{
	return cause >= CAUSE_LOCK && cause <= CAUSE_JOIN;
}

/*
 * A cause in one word: bits 0 to 3 the cause; bits 4 to 28, of one that has a
 * lock its index in SECTION_LOCKS, of CAUSE_BLOCKED the call.
 */
#define CAUSE_WORD(cause, detail) ((uint32_t)(detail) << 4 | (cause))
#define CAUSE_OF(word)		  ((word)&15u)
#define CAUSE_DETAIL(word)	  ((uint32_t)(word) >> 4)

/*
 * A call: an enum blocking_call, or the number of a system call without a name
 * there, on the machine that recorded it.
 */
#define CALL_UNNAMED	      1024u
#define CALL_IS_UNNAMED(c)    ((c) >= CALL_UNNAMED)
#define CALL_UNNAMED_LIMIT    8192u
#define CALL_SYSTEM(number)   (CALL_UNNAMED + (uint32_t)(number))
#define CALL_SYSTEM_NUMBER(c) ((c)-CALL_UNNAMED)

#define CALL_UNNAMED_WORD "system-call-" /* and its number: its name */

/* Where a tick found the thread. */
enum call_state {
	CALL_OUTSIDE,	 /* not at a system call */
	CALL_RETURNED,	 /* behind one that has just returned */
	CALL_INTERRUPTED /* it slept in one, that the tick broke */
};

/* What is known of a slice. */
struct evidence {
	uint64_t wall_ns;
	uint64_t cpu_ns;	       /* of the thread; at most so much */
	uint64_t wait_ns[CAUSE_COUNT]; /* for locks and their like */
	uint64_t blocked_ns;	       /* in calls that a hook saw block */
	uint64_t asleep_ns; /* in a call that the tick before broke; at most */
	uint64_t late_ns;   /* the tick that ended the slice was late by */
	uint32_t voluntary; /* switches: it slept, or was stopped */
	uint32_t involuntary;
	uint32_t minor_faults;
	uint32_t major_faults;
	enum call_state state;
	uint32_t call;	 /* there; CALL_NONE: unknown */
	bool is_of_disk; /* CALL_READ and its like: no signal wakes it there */
};

/* The slice by cause, in ns. They add up to wall_ns. */
struct causes {
	uint64_t ns[CAUSE_COUNT];
};

struct causes causes_of(const struct evidence *evidence);

/* What a wait for a lock of this kind (enum lock_kind) is. */
enum cause cause_of_wait(uint32_t lock_kind);

/* The one with most of the time. */
enum cause causes_main(const uint64_t ns[CAUSE_COUNT]);

/* The cause's key in texts, and its words; "" for an unknown number. */
const char *cause_key(uint32_t cause);
const char *cause_words(uint32_t cause);

#endif
