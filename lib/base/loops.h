/*
 * The event loops of a recording, summed up: what the text, the summary and
 * the report say of them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_LOOPS_H
#define BASE_LOOPS_H

#include "base/format.h"

struct loops {
	uint64_t count;
	uint64_t stalls; /* with those that last, without runs that left */
	uint64_t stalled_ns;
	uint64_t left; /* runs that left it */
	uint64_t left_ns;
	uint64_t unseen;     /* stalls of which no stack could be taken */
	uint64_t longest_ns; /* run, one that has not ended included */
	uint64_t cause_ns[CAUSE_COUNT]; /* stalled_ns, but of unseen ones */
	uint64_t unfinished; /* threads in a run that is a stall by now */
};

/* A thread is a loop once it has come back to its wait. Signal-safe. */
bool thread_is_loop(const struct thread_record *thread);

/* Its stalls, with one that lasts at now_ns. Signal-safe. */
struct thread_stalls {
	uint64_t count;
	uint64_t ns;
	uint64_t unseen; /* of which no stack could be taken */
	uint64_t cause_ns[CAUSE_COUNT];
};

struct thread_stalls thread_stalls(const struct recording *rec,
				   const struct thread_record *thread,
				   uint64_t now_ns);

/*
 * How long the thread's run lasts at now_ns, if it has reached the threshold
 * and not ended; else 0. The first run of all counts where the
 * program was ended by force: there was no time to prove a loop. Signal-safe.
 */
uint64_t thread_unfinished_ns(const struct recording *rec,
			      const struct thread_record *thread,
			      uint64_t now_ns);

/* From its first wait to now_ns, or to the thread's end. Signal-safe. */
uint64_t thread_watched_ns(const struct thread_record *thread, uint64_t now_ns);

/* The percentiles of run lengths that are told: name, key, parts of 1000. */
#define PERCENTILES(X)                                                         \
	X(PERCENTILE_50, "p50", "p50", 500)                                    \
	X(PERCENTILE_90, "p90", "p90", 900)                                    \
	X(PERCENTILE_99, "p99", "p99", 990)                                    \
	X(PERCENTILE_999, "p99.9", "p999", 999)

enum percentile {
#define X(name, title, key, parts) name,
	PERCENTILES(X)
#undef X
	PERCENTILE_COUNT
};

/* How long the runs took that ended; 0: less than HISTOGRAM_LEAST_NS. */
struct run_lengths {
	bool is_known; /* there is a histogram */
	uint64_t ns[PERCENTILE_COUNT];
};

/* Of a thread of a (checked) recording. Signal-safe. */
struct run_lengths run_lengths_of(const struct recording *rec,
				  const struct thread_record *thread);

/* The key of a percentile in texts. */
const char *percentile_key(enum percentile percentile);

/* The sums over all threads of a (checked) recording. Signal-safe. */
struct loops loops_of(const struct recording *rec, uint64_t now_ns);

/* As in BLOCKING_CALLS: "" for none or an unknown one. Signal-safe. */
const char *blocking_call_name(uint32_t call);

#endif
