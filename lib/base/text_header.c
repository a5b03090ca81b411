/*
 * The head of a text: four keys that every client knows, then comment lines of
 * key=value. No comment line may end in a space and digits, as speedscope takes
 * such a line for a sample: hence the full stops.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/text_header.h"
#include "base/atomic.h"
#include "base/law.h"
#include "base/loops.h"
#include "base/lost.h"

static const char *const kind_names[] = {
#define X(name, text) text,
	SAMPLE_KIND_NAMES(X)
#undef X
};

/* Exactly these: Go refuses a text with any other key. */
static void write_keys(struct pen *pen, const struct recording *rec,
		       enum sample_kind kind, uint64_t now_ns)
{
	uint64_t ms = (now_ns - min_u64(rec->start_ns, now_ns)) / NS_PER_MS;

	pen_text(pen, "--- contention:\ncycles/second=1000000000\n"
		      "sampling period=1\n");
	pen_number(pen, "ms since reset=", ms, "\n");
	pen_number(pen,
		   "discarded samples=", load_relaxed(&rec->discarded[kind]),
		   "\n");
}

static void write_process(struct pen *pen, const struct recording *rec,
			  enum sample_kind kind)
{
	pen_text(pen, "# tool=stallshim-");
	pen_word(pen, rec->version_text, sizeof(rec->version_text));
	pen_text(pen, "\n# kind=");
	pen_text(pen, kind_names[kind]);
	pen_number(pen, "\n# pid=", (uint64_t)rec->pid, " comm=");
	pen_word(pen, rec->comm, NAME_BYTES);
	pen_text(pen, " host=");
	pen_word(pen, rec->host, HOST_BYTES);
	pen_text(pen, " start=");
	pen_utc(pen, rec->start_realtime_ns);
	pen_text(pen, " stall=");
	pen_thresholds(pen, &rec->thresholds);
	pen_text(pen,
		 rec->charges_like_go ? " charge=go.\n" : " charge=exact.\n");
}

static void write_balance(struct pen *pen, const struct recording *rec,
			  const struct law *law)
{
	uint32_t in_flight = load_relaxed(&rec->in_flight);
	uint64_t accounted = law->charged_ns + law->handoff_ns + law->open_ns;

	if (in_flight)
		pen_number(pen, "# in_flight=", in_flight,
			   ": the sums may be off by that many operations.\n");
	if (law_closes(law))
		return;
	if (accounted > law->waited_ns)
		pen_number(pen, "# difference=", accounted - law->waited_ns,
			   "ns: more is accounted for than was waited.\n");
	else
		pen_number(pen, "# difference=", law->waited_ns - accounted,
			   "ns: less is accounted for than was waited.\n");
}

/* Waits that are in the profile of waits, but not in the law. */
static void write_unheld(struct pen *pen, const struct recording *rec,
			 uint64_t now_ns)
{
	struct law law = law_of(rec, SAMPLE_WAIT, now_ns);

	if (law.waits)
		pen_number(pen, "# unheld=", law.waited_ns,
			   "ns: at barriers and in joins.\n");
}

static void write_law(struct pen *pen, const struct recording *rec,
		      enum sample_kind kind, uint64_t now_ns)
{
	enum sample_kind charged = kind == SAMPLE_SEM ? kind : SAMPLE_MUTEX;
	struct law law = law_of(rec, charged, now_ns);

	if (!rec->watches_locks) {
		pen_text(pen, "# locks=off.\n");
		return;
	}
	pen_number(pen, "# waited=", law.waited_ns, "ns");
	pen_number(pen, " charged=", law.charged_ns, "ns");
	pen_number(pen, " handoff=", law.handoff_ns, "ns");
	pen_number(pen, " open=", law.open_ns, "ns.\n");
	write_balance(pen, rec, &law);
	if (kind == SAMPLE_WAIT)
		write_unheld(pen, rec, now_ns);
	if (rec->min_wait_ns) {
		pen_text(pen, "# min_wait=");
		pen_duration(pen, rec->min_wait_ns);
		pen_text(pen, ": no stack for less.\n");
	}
}

/* 0 is less than what is told. */
static void write_lengths(struct pen *pen, const struct run_lengths *lengths)
{
	for (int i = 0; lengths->is_known && i < PERCENTILE_COUNT; i++) {
		pen_text(pen, " ");
		pen_text(pen, percentile_key(i));
		pen_number(pen, "=", lengths->ns[i], "ns");
	}
}

/* Runs that left a loop, if any. */
static void write_left(struct pen *pen, uint64_t left, uint64_t left_ns)
{
	if (!left)
		return;
	pen_number(pen, " left=", left, "");
	pen_number(pen, " leftfor=", left_ns, "ns");
}

/* Waits in its runs, if any. */
static void write_nested(struct pen *pen, const struct thread_record *t)
{
	uint64_t nested = load_relaxed(&t->nested);

	if (!nested)
		return;
	pen_number(pen, " nested=", nested, "");
	pen_number(pen, " nestedmost=", load_relaxed(&t->nested_most), "");
	pen_text(pen, " nestedin=");
	pen_word(pen, blocking_call_name(load_relaxed(&t->nested_call)),
		 SIZE_MAX);
}

static void write_loop(struct pen *pen, const struct recording *rec,
		       const struct thread_record *t, uint64_t now_ns)
{
	struct run_lengths lengths = run_lengths_of(rec, t);
	struct thread_stalls stalls = thread_stalls(rec, t, now_ns);
	uint32_t call = load_relaxed(&t->wait_call);

	pen_number(pen, "# loop=", (uint64_t)t->tid, " name=");
	pen_word(pen, t->name, NAME_BYTES);
	pen_text(pen, " wait=");
	pen_word(pen, blocking_call_name(call), SIZE_MAX);
	pen_number(pen, " turns=", load_relaxed(&t->waits), "");
	pen_number(pen, " events=", load_relaxed(&t->events), "");
	pen_number(pen, " busy=", load_relaxed(&t->busy_ns), "ns");
	pen_number(pen, " watched=", thread_watched_ns(t, now_ns), "ns");
	write_lengths(pen, &lengths);
	pen_number(pen, " longest=", load_relaxed(&t->longest_run_ns), "ns");
	pen_text(pen, " threshold=");
	pen_threshold(pen, load_relaxed(&t->stall_ns));
	write_nested(pen, t);
	pen_number(pen, " stalls=", stalls.count, "");
	pen_number(pen, " stalled=", stalls.ns, "ns");
	write_left(pen, load_relaxed(&t->left), load_relaxed(&t->left_ns));
	pen_text(pen, ".\n");
}

static void write_unfinished(struct pen *pen, const struct thread_record *t,
			     uint64_t unfinished_ns, uint64_t now_ns)
{
	uint32_t call = load_relaxed(&t->blocked_call);
	uint64_t since_ns = load_relaxed(&t->blocked_ns);

	pen_number(pen, "# unfinished=", unfinished_ns, "ns");
	pen_number(pen, " thread=", (uint64_t)t->tid, " name=");
	pen_word(pen, t->name, NAME_BYTES);
	if (call != CALL_NONE) {
		pen_text(pen, " in=");
		pen_word(pen, blocking_call_name(call), SIZE_MAX);
		pen_number(pen, " blocked=", now_ns - min_u64(since_ns, now_ns),
			   "ns");
	}
	pen_text(pen, ".\n");
}

static void write_threads(struct pen *pen, const struct recording *rec,
			  uint64_t now_ns)
{
	const struct thread_record *t = section_records(rec, SECTION_THREADS);
	uint32_t n = rec->section[SECTION_THREADS].capacity;

	for (; n; n--, t++) {
		uint64_t unfinished_ns = thread_unfinished_ns(rec, t, now_ns);

		if (thread_is_loop(t))
			write_loop(pen, rec, t, now_ns);
		if (unfinished_ns)
			write_unfinished(pen, t, unfinished_ns, now_ns);
	}
}

/* "# cpu=60ns blocked=200ns ..." */
static void write_causes(struct pen *pen, const struct loops *loops)
{
	pen_text(pen, "#");
	for (unsigned i = CAUSE_UNKNOWN + 1; i < CAUSE_COUNT; i++) {
		pen_text(pen, " ");
		pen_text(pen, cause_key(i));
		pen_number(pen, "=", loops->cause_ns[i], "ns");
	}
	pen_text(pen, ".\n");
}

static void write_loops(struct pen *pen, const struct recording *rec,
			uint64_t now_ns)
{
	struct loops loops = loops_of(rec, now_ns);

	pen_number(pen, "# loops=", loops.count, "");
	pen_number(pen, " stalls=", loops.stalls, "");
	pen_number(pen, " stalled=", loops.stalled_ns, "ns");
	pen_number(pen, " unseen=", loops.unseen, "");
	pen_number(pen, " longest=", loops.longest_ns, "ns");
	write_left(pen, loops.left, loops.left_ns);
	pen_text(pen, ".\n");
	if (loops.stalls)
		write_causes(pen, &loops);
	write_threads(pen, rec, now_ns);
}

static void write_lost(struct pen *pen, const struct recording *rec,
		       enum sample_kind kind)
{
	uint64_t discarded_ns = load_relaxed(&rec->discarded_ns[kind]);
	unsigned reason;

	if (discarded_ns)
		pen_number(pen, "# discarded=", discarded_ns,
			   "ns: without a stack.\n");
	for (reason = 0; reason < LOST_COUNT; reason++) {
		uint64_t count = lost_count(rec, reason);

		if (!count)
			continue;
		pen_number(pen, "# lost=", count, ": ");
		pen_text(pen, lost_text(reason));
		pen_text(pen, ".\n");
	}
}

static void write_end(struct pen *pen, const struct recording *rec)
{
	uint32_t end = load_relaxed(&rec->end);
	uint64_t detail = (uint64_t)load_relaxed(&rec->end_detail);

	if (end == END_EXIT)
		pen_text(pen, "# end=exit.\n");
	else if (end == END_AT_ONCE)
		pen_number(pen, "# end=exit at once, status ", detail, ".\n");
	else if (end == END_EXEC)
		pen_text(pen, "# end=exec.\n");
	else if (end == END_SIGNAL)
		pen_number(pen, "# end=signal ", detail, ".\n");
	else if (end == END_SECCOMP)
		pen_text(pen, "# end=seccomp.\n");
	else
		pen_text(pen, "# end=running.\n");
}

void text_header_write(struct pen *pen, const struct recording *rec,
		       enum sample_kind kind, uint64_t now_ns)
{
	write_keys(pen, rec, kind, now_ns);
	write_process(pen, rec, kind);
	if (kind == SAMPLE_STALL)
		write_loops(pen, rec, now_ns);
	else
		write_law(pen, rec, kind, now_ns);
	if (kind == SAMPLE_WAIT && !rec->watches_waiters)
		pen_text(pen, "# waiters=off.\n");
	write_lost(pen, rec, kind);
	write_end(pen, rec);
	pen_text(pen, "\n");
}
