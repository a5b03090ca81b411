/*
 * The recording: layout of PREFIX.rec, as the watched process maps and writes
 * it and as the command reads it. This file is its specification.
 *
 *   struct recording                      at offset 0
 *   SECTION_MODULES      module_record[]  objects met in stack walks
 *   SECTION_THREADS      thread_record[]  event loops
 *   SECTION_LOCKS        lock_record[]    hash table: locks waited for
 *   SECTION_SAMPLES      sample_record[]  hash table: what a stack has cost
 *   SECTION_EVENTS       event_record[]   ring: the latest stalls
 *   SECTION_LONGEST      longest_record[] table: the longest stalls
 *   SECTION_HISTOGRAMS   histogram[]      run lengths, one a loop
 *   SECTION_WAITERS      waiter_record[]  threads that wait for a lock now
 *   SECTION_STACK_INDEX  uint32_t[]       hash heads into SECTION_STACKS
 *   SECTION_STACKS       uint64_t[]       arena of struct stack_record
 *
 * The records are in base/records.h and base/sample_record.h.
 *
 * Every byte is in place before the program's main: the file never grows and
 * there is no flush. It can be read at any instant, while the process runs or
 * after it was killed, because
 *
 *   - the file is valid if and only if magic and version match and size_bytes
 *     is no more than the file's size: magic is stored last;
 *   - a record is valid if and only if its first-named word (see each) is not
 *     zero: that word is stored last, with release order;
 *   - numbers in a valid record are each right, and grow; two of them may be
 *     one operation apart (recording.in_flight tells how many are under way).
 *
 * A reader trusts nothing else: each offset, index and length is checked.
 * All integers are in the byte order of the machine. Times are nanoseconds of
 * CLOCK_MONOTONIC unless they say otherwise.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_FORMAT_H
#define BASE_FORMAT_H

#include "base/records.h"

#define RECORDING_MAGIC	  "stallrec"
#define RECORDING_VERSION 4u

#define HOST_BYTES 64

enum recording_section {
	SECTION_MODULES,
	SECTION_THREADS,
	SECTION_LOCKS,
	SECTION_SAMPLES,
	SECTION_EVENTS,
	SECTION_LONGEST,
	SECTION_HISTOGRAMS,
	SECTION_WAITERS,
	SECTION_STACK_INDEX,
	SECTION_STACKS,
	SECTION_COUNT
};

struct section {
	uint64_t offset;
	uint32_t record_bytes;
	uint32_t capacity; /* in records */
	/* Records handed out. May exceed capacity: what did not fit is lost. */
	uint32_t used;
	uint32_t reserved;
};

/* What was lost, skipped or suppressed, each counted and shown. */
#define LOST_REASONS(X)                                                        \
	X(LOST_STACK, "stack table full")                                      \
	X(LOST_SAMPLE, "sample table full")                                    \
	X(LOST_WAITER, "open waits not kept: too many at once")                \
	X(LOST_SLEEPER, "condition waits not tracked")                         \
	X(LOST_RAW_FUTEX,                                                      \
	  "waits in futex() itself, for locks that cannot be seen")            \
	X(LOST_LOCK, "lock table full: waits not tracked")                     \
	X(LOST_LOCK_RECORD, "locks that gave their record up: sums kept")      \
	X(LOST_THREAD, "loops not watched: thread table full, or no memory")   \
	X(LOST_MODULE, "module table full, or too many in one stack")          \
	X(LOST_EVENT,                                                          \
	  "stalls not in the timeline: it has the latest and longest")         \
	X(LOST_HISTOGRAM, "loops without a histogram: no room")                \
	X(LOST_LOG_LIMIT,                                                      \
	  "log lines suppressed: more than the limit a minute")                \
	X(LOST_LOG, "log lines that could not be written")                     \
	X(LOST_PLACE, "places where threads park: no room, may hide stalls")   \
	X(LOST_TIMER, "timers the kernel refused, or memory for their ticks")  \
	X(LOST_WALK_BUSY, "walks left out: another was under way, or killed")  \
	X(LOST_WALK_NESTED, "walks left out: inside a walk")                   \
	X(LOST_WALK_FORK, "walks left out: fork under way")                    \
	X(LOST_WALK_SHORT, "walks cut short: no unwind information")           \
	X(LOST_WALK_MEMORY, "walks cut short: memory that can't be read")      \
	X(LOST_WALK_GUESSED,                                                   \
	  "callers guessed: code without unwind information")                  \
	X(LOST_COPY, "reads not proof against unmapping: no copies here")      \
	X(LOST_NO_SIGNAL, "ticks left out: no signal can be had for them")

enum lost_reason {
#define X(name, text) name,
	LOST_REASONS(X)
#undef X
	LOST_COUNT
};

/* How the recording ended. */
enum recording_end {
	END_RUNNING, /* still running, or killed: end_ns is 0 */
	END_EXIT,    /* exit() or return from main */
	END_AT_ONCE, /* _exit, _Exit or quick_exit; end_detail: status */
	END_EXEC,    /* became another program; it went on until after end_ns */
	END_SIGNAL,  /* a default-fatal signal; end_detail: its number */
	END_SECCOMP  /* ... or the like: it was left alone from then on */
};

#define STATUS_UNKNOWN (-1) /* as end_detail: nobody told us */

struct recording {
	char magic[8]; /* the validity word: stored last */
	uint32_t version;
	uint32_t header_bytes;
	uint64_t size_bytes;
	struct section section[SECTION_COUNT];

	/* Constant from the start. */
	int32_t pid;
	uint32_t depth; /* frames kept per stack */
	char comm[NAME_BYTES];
	char host[HOST_BYTES];
	char version_text[16]; /* STALLSHIM_VERSION of the writer */
	uint64_t start_ns;
	uint64_t start_realtime_ns; /* CLOCK_REALTIME at start_ns */
	uint64_t min_wait_ns;	    /* no stacks below; 0: every contention */
	uint64_t rate_ns; /* one stack for so much waiting; 0: for each */
	uint32_t watches_locks;
	uint32_t watches_waiters;
	uint32_t charges_like_go; /* in samples; the lock's sums are exact */
	struct thresholds thresholds; /* none at all: stalls not watched */

	/* State: read at every turn, so apart from lock operations' words. */
	uint32_t end; /* enum recording_end */
	int32_t end_detail;
	uint64_t end_ns;
	uint32_t frozen; /* 1: neither operations nor stalls are recorded */
	/* Lock operations, and ticks and ends of stalls. */
	uint32_t in_flight __attribute__((aligned(64)));
	/* Of lock operations, and of ticks in the first run of a thread. */
	uint64_t latest_ns;
	/* No longest_record is shorter: a hint, 0 while there is room. */
	uint64_t longest_floor_ns;
	uint64_t lost[LOST_COUNT] __attribute__((aligned(64)));
	/* Lock waits and stall time whose stack is not in a sample, by kind. */
	uint64_t discarded[SAMPLE_KINDS];
	uint64_t discarded_ns[SAMPLE_KINDS];
};

/* The records of a section, in a recording that has been checked. */
static inline void *section_records(const struct recording *rec,
				    enum recording_section which)
{
	return (char *)(uintptr_t)rec + rec->section[which].offset;
}

#endif
