/*
 * The recording: layout of PREFIX.rec, as the watched process maps and writes
 * it and as the command reads it. This file is its specification.
 *
 *   struct recording                      at offset 0
 *   SECTION_MODULES      module_record[]  objects met in stack walks
 *   SECTION_THREADS      thread_record[]  event loops
 *   SECTION_LOCKS        lock_record[]    hash table: locks that were waited
 * for SECTION_SAMPLES      sample_record[]  hash table: what a stack has cost
 *   SECTION_EVENTS       event_record[]   ring: stalls in order of time
 *   SECTION_STACK_INDEX  uint32_t[]       hash heads into SECTION_STACKS
 *   SECTION_STACKS       uint64_t[]       arena of struct stack_record
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

#include "base/units.h"

#define RECORDING_MAGIC	  "stallrec"
#define RECORDING_VERSION 1u

#define NAME_BYTES     16 /* a thread's name, as the kernel keeps it */
#define HOST_BYTES     64
#define PATH_BYTES     400
#define BUILD_ID_BYTES 20
#define MAX_DEPTH      128

enum recording_section {
	SECTION_MODULES,
	SECTION_THREADS,
	SECTION_LOCKS,
	SECTION_SAMPLES,
	SECTION_EVENTS,
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
	X(LOST_LOCK, "lock table full: waits not tracked")                     \
	X(LOST_THREAD, "thread table full: loops not watched")                 \
	X(LOST_MODULE, "module table full")                                    \
	X(LOST_EVENT, "stalls overwritten in the timeline")                    \
	X(LOST_TIMER, "timers the kernel refused")                             \
	X(LOST_WALK_BUSY, "walks left out: another walk was under way")        \
	X(LOST_WALK_NESTED, "walks left out: inside a walk")                   \
	X(LOST_WALK_FORK, "walks left out: fork under way")                    \
	X(LOST_WALK_SHORT, "walks cut short: no unwind information")           \
	X(LOST_NO_SIGNAL, "ticks left out: the program uses every signal")

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
	END_EXEC,    /* became another program */
	END_SIGNAL   /* a default-fatal signal; end_detail: its number */
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
	uint64_t stall_ns;	    /* threshold; 0: stalls are not watched */
	uint64_t min_wait_ns;	    /* no stacks below; 0: every contention */
	uint32_t watches_locks;
	uint32_t watches_waiters;

	/* State: read at every turn, so apart from what lock operations write.
	 */
	uint32_t end; /* enum recording_end */
	int32_t end_detail;
	uint64_t end_ns;
	uint32_t frozen; /* 1: lock operations are no longer recorded */
	uint32_t in_flight __attribute__((aligned(64))); /* lock operations */
	uint64_t latest_ns; /* last time stamp of a lock operation */
	uint64_t lost[LOST_COUNT] __attribute__((aligned(64)));
	/* Lock waits and stall time whose stack is not in a sample, by kind. */
	uint64_t discarded[3];
	uint64_t discarded_ns[3];
};

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
	/* The executable segment, in run-time addresses, and its file offset.
	 */
	uint64_t text_start;
	uint64_t text_end;
	uint64_t text_offset;
	uint32_t build_id_bytes; /* 0: none */
	uint8_t build_id[BUILD_ID_BYTES];
	char path[PATH_BYTES]; /* absolute, or [vdso] */
};

enum thread_state {
	THREAD_FREE,
	THREAD_CLAIMED,
	THREAD_LIVE,
	THREAD_ENDED
};

/* Calls a thread may be found in: waits that make a loop, then the rest. */
#define BLOCKING_CALLS(X)                                                      \
	X(CALL_NONE, "")                                                       \
	X(CALL_EPOLL_WAIT, "epoll_wait")                                       \
	X(CALL_EPOLL_PWAIT, "epoll_pwait")                                     \
	X(CALL_EPOLL_PWAIT2, "epoll_pwait2")                                   \
	X(CALL_POLL, "poll")                                                   \
	X(CALL_PPOLL, "ppoll")                                                 \
	X(CALL_SELECT, "select")                                               \
	X(CALL_PSELECT, "pselect")                                             \
	X(CALL_SLEEP, "sleep")                                                 \
	X(CALL_USLEEP, "usleep")                                               \
	X(CALL_NANOSLEEP, "nanosleep")                                         \
	X(CALL_CLOCK_NANOSLEEP, "clock_nanosleep")                             \
	X(CALL_THRD_SLEEP, "thrd_sleep")                                       \
	X(CALL_PAUSE, "pause")                                                 \
	X(CALL_SIGSUSPEND, "sigsuspend")                                       \
	X(CALL_SIGTIMEDWAIT, "sigtimedwait")                                   \
	X(CALL_SIGWAITINFO, "sigwaitinfo")                                     \
	X(CALL_SIGWAIT, "sigwait")                                             \
	X(CALL_SEM_TIMEDWAIT, "sem_timedwait")                                 \
	X(CALL_SEM_CLOCKWAIT, "sem_clockwait")                                 \
	X(CALL_SEMOP, "semop")                                                 \
	X(CALL_SEMTIMEDOP, "semtimedop")                                       \
	X(CALL_MSGRCV, "msgrcv")                                               \
	X(CALL_MSGSND, "msgsnd")                                               \
	X(CALL_AIO_SUSPEND, "aio_suspend")                                     \
	X(CALL_READ, "read")                                                   \
	X(CALL_READV, "readv")                                                 \
	X(CALL_WRITE, "write")                                                 \
	X(CALL_WRITEV, "writev")                                               \
	X(CALL_RECV, "recv")                                                   \
	X(CALL_RECVFROM, "recvfrom")                                           \
	X(CALL_RECVMSG, "recvmsg")                                             \
	X(CALL_SEND, "send")                                                   \
	X(CALL_SENDTO, "sendto")                                               \
	X(CALL_SENDMSG, "sendmsg")                                             \
	X(CALL_ACCEPT, "accept")                                               \
	X(CALL_ACCEPT4, "accept4")                                             \
	X(CALL_CONNECT, "connect")

enum blocking_call {
#define X(name, text) name,
	BLOCKING_CALLS(X)
#undef X
	CALL_COUNT
};

/*
 * A thread that waits for events. A *run* goes from the return of one wait to
 * the call of the next. A thread is a loop once it has come back: waits >= 2.
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
	/* Stalls. stalled_ns = sum of its stacks' shares + unseen_ns. */
	uint64_t stalls;
	uint64_t stalled_ns;
	uint64_t unseen;    /* stalls during which no stack could be taken */
	uint64_t unseen_ns; /* part of stalled_ns */
	/* The call it may be stuck in, other than a wait. */
	uint32_t blocked_call;	/* CALL_NONE: in none */
	uint32_t blocked_stack; /* that called it, or 0 */
	uint64_t blocked_ns;	/* since when */
	/* The kernel's id + 1 of its timer, or 0: of use to its process only.
	 */
	int32_t timer;
	uint32_t reserved;
};

/*
 * The ledger of one lock (lib/sigsafe/ledger.h), changed in one 16-byte step:
 *
 *   sum     sum of the waiters' start times minus what ended waits are owed,
 *           modulo 2^64
 *   base_n  bits 14 to 63: time of the last charge, modulo 2^50 ns
 *           bits 0 to 13: n, the number of waiters
 */
struct ledger {
	uint64_t sum;
	uint64_t base_n;
} __attribute__((aligned(16)));

#define LEDGER_N_BITS	 14
#define LEDGER_N(base_n) ((base_n) & ((1u << LEDGER_N_BITS) - 1))

enum lock_kind {
	LOCK_MUTEX,
	LOCK_KIND_COUNT
};

struct lock_record {
	struct ledger ledger;
	uint64_t key;	  /* the validity word: address, or LOCK_RETIRED */
	uint64_t address; /* of the lock, in the process; follows key at once */
	uint64_t place;	  /* a frame word: module and offset, module 0: heap */
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
	uint64_t most_waiters; /* at once */
};

#define LOCK_RETIRED UINT64_C(1) /* destroyed: keeps its sums, not its key */

/* The kinds of profile, one text each. */
enum sample_kind {
	SAMPLE_MUTEX,
	SAMPLE_WAIT,
	SAMPLE_STALL,
	SAMPLE_KINDS
};

/*
 * One line of a profile. key: bits 62 to 63 kind + 1, bits 32 to 61 lock (its
 * index in SECTION_LOCKS, 0 for stalls), bits 0 to 31 stack (offset in words
 * in SECTION_STACKS).
 */
#define SAMPLE_KEY(kind, lock, stack)                                          \
	((uint64_t)((kind) + 1) << 62 | (uint64_t)(lock) << 32 | (stack))
#define SAMPLE_KIND(key)  ((enum sample_kind)((key) >> 62) - 1)
#define SAMPLE_LOCK(key)  ((uint32_t)((key) >> 32 & 0x3fffffff))
#define SAMPLE_STACK(key) ((uint32_t)(key))

struct sample_record {
	uint64_t key; /* the validity word */
	uint64_t total_ns;
	uint64_t count;
	uint64_t max_ns; /* largest single contribution */
};

/* A stall, for the timeline. */
struct event_record {
	uint64_t begun_ns;    /* start of the run; the validity word */
	uint64_t duration_ns; /* so far, while it lasts */
	uint32_t thread;      /* index in SECTION_THREADS */
	uint32_t stack;	      /* of the first tick, or 0 */
	uint32_t ticks;
	uint32_t events; /* that the wait before it returned */
	uint32_t call;	 /* enum blocking_call it was found in, or CALL_NONE */
	uint32_t ended;
	int32_t tid;
	uint32_t link; /* reserved for the event that caused it */
	/* Of the tick that has least in common with the first; 0: none yet. */
	uint32_t apart;
	uint32_t reserved;
	char name[NAME_BYTES];
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

/* The records of a section, in a recording that has been checked. */
static inline void *section_records(const struct recording *rec,
				    enum recording_section which)
{
	return (char *)(uintptr_t)rec + rec->section[which].offset;
}

#endif
