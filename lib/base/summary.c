/*
 * The summary: what one process showed, in one line. Clauses in the order in
 * which people ask: did a loop stall, did locks make threads wait, is something
 * missing.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/atomic.h"
#include "base/law.h"
#include "base/loops.h"
#include "base/lost.h"
#include "base/pen.h"

struct line {
	char *bytes;
	size_t size;
	size_t length;
};

static void line_write(void *ctx, const char *bytes, size_t length)
{
	struct line *line = ctx;
	size_t room = line->size - 1 - line->length;
	size_t kept = length < room ? length : room;

	memcpy(line->bytes + line->length, bytes, kept);
	line->length += kept;
}

/* "1 loop", "2 loops" */
static void say_count(struct pen *pen, uint64_t count, const char *noun)
{
	pen_number(pen, "", count, " ");
	pen_text(pen, noun);
	if (count != 1)
		pen_text(pen, "s");
}

/* A run just below the threshold must not be rounded up to it. */
static void say_longest(struct pen *pen, uint64_t ns, uint64_t stall_ns)
{
	if (duration_rounds_up_to(ns, stall_ns))
		pen_duration(pen, ns);
	else
		pen_duration_rounded(pen, ns);
}

static void say_loops(struct pen *pen, const struct recording *rec,
		      const struct loops *loops, uint64_t lasted_ns)
{
	if (loops->stalls)
		say_count(pen, loops->stalls, "stall");
	else
		pen_text(pen, "no stall");
	pen_text(pen, rec->thresholds.count ? " by " : " >= ");
	pen_thresholds(pen, &rec->thresholds);
	pen_text(pen, " in ");
	pen_duration_rounded(pen, lasted_ns);
	pen_text(pen, " on ");
	say_count(pen, loops->count, "loop");
	if (loops->stalls) {
		pen_text(pen, ", ");
		pen_duration_rounded(pen, loops->stalled_ns);
		pen_text(pen, " in all");
	}
	pen_text(pen, loops->stalls ? ", longest " : ", longest run ");
	say_longest(pen, loops->longest_ns, rec->thresholds.others_ns);
}

/* The one unfinished run worth a name: the longest. */
static const struct thread_record *
longest_unfinished(const struct recording *rec, uint64_t now_ns)
{
	const struct thread_record *t = section_records(rec, SECTION_THREADS);
	uint32_t n = rec->section[SECTION_THREADS].capacity;
	const struct thread_record *found = t;

	for (; n; n--, t++) {
		if (thread_unfinished_ns(rec, t, now_ns) >
		    thread_unfinished_ns(rec, found, now_ns))
			found = t;
	}
	return found;
}

static void say_unfinished(struct pen *pen, const struct recording *rec,
			   uint64_t now_ns, uint64_t count)
{
	const struct thread_record *t = longest_unfinished(rec, now_ns);
	uint32_t call = load_relaxed(&t->blocked_call);

	pen_text(pen, "; thread ");
	pen_name(pen, t->name, NAME_BYTES);
	pen_number(pen, " (", (uint64_t)t->tid, ") had not come back to its ");
	pen_text(pen, "wait for ");
	pen_duration_rounded(pen, thread_unfinished_ns(rec, t, now_ns));
	if (call != CALL_NONE) {
		pen_text(pen, ", stuck in ");
		pen_text(pen, blocking_call_name(call));
	}
	if (count > 1)
		pen_number(pen, ", nor had ", count - 1, " more");
}

static void say_stalls(struct pen *pen, const struct recording *rec,
		       uint64_t now_ns)
{
	struct loops loops = loops_of(rec, now_ns);
	uint64_t lasted_ns = now_ns - min_u64(rec->start_ns, now_ns);

	if (!threshold_is_any(&rec->thresholds)) {
		pen_text(pen, "stalls not watched");
	} else if (!loops.count && !loops.stalls) {
		pen_text(pen, "no event loop seen in ");
		pen_duration_rounded(pen, lasted_ns);
	} else {
		say_loops(pen, rec, &loops, lasted_ns);
	}
	if (loops.unfinished)
		say_unfinished(pen, rec, now_ns, loops.unfinished);
}

struct contention {
	uint64_t locks; /* that made threads wait */
	uint64_t longest_ns;
};

static struct contention contention_of(const struct recording *rec)
{
	const struct lock_record *lock = section_records(rec, SECTION_LOCKS);
	uint32_t n = rec->section[SECTION_LOCKS].capacity;
	struct contention seen = { .locks = lost_count(rec, LOST_LOCK_RECORD) };

	for (; n; n--, lock++) {
		uint64_t longest_ns = load_relaxed(&lock->longest_wait_ns);
		uint64_t key = load_acquire(&lock->key);

		if (!key || !load_relaxed(&lock->waits) ||
		    law_profile_of(lock->kind) != SAMPLE_MUTEX)
			continue;
		/* They gave their records up: counted as they did. */
		seen.locks += key != LOCK_OTHERS;
		seen.longest_ns = max_u64(seen.longest_ns, longest_ns);
	}
	return seen;
}

static void say_locks(struct pen *pen, const struct recording *rec,
		      uint64_t now_ns)
{
	struct contention seen = contention_of(rec);
	struct law law = law_of(rec, SAMPLE_MUTEX, now_ns);

	if (!rec->watches_locks) {
		pen_text(pen, "; locks not watched");
	} else if (!seen.locks) {
		pen_text(pen, "; no lock made a thread wait");
	} else {
		pen_text(pen, "; ");
		say_count(pen, seen.locks, "lock");
		pen_text(pen, " made threads wait ");
		pen_duration_rounded(pen, law.waited_ns);
		pen_text(pen, " in ");
		say_count(pen, law.waits, "wait");
	}
	if (seen.longest_ns) {
		pen_text(pen, ", longest ");
		pen_duration_rounded(pen, seen.longest_ns);
	}
}

static void say_lost(struct pen *pen, const struct recording *rec)
{
	uint64_t total = lost_total(rec);
	enum lost_reason most = lost_most(rec);

	if (!total)
		return;
	pen_number(pen, "; lost ", lost_count(rec, most), " (");
	pen_text(pen, lost_text(most));
	pen_text(pen, ")");
	if (total > lost_count(rec, most))
		pen_number(pen, " and ", total - lost_count(rec, most),
			   " for other reasons");
}

size_t text_summary(const struct recording *rec, uint64_t now_ns, char *line,
		    size_t size)
{
	struct line room = { .bytes = line, .size = size };
	const struct text_out out = { line_write, &room };
	struct pen pen = pen_for(&out);

	if (!size)
		return 0;
	say_stalls(&pen, rec, now_ns);
	say_locks(&pen, rec, now_ns);
	say_lost(&pen, rec);
	pen_flush(&pen);
	line[room.length] = '\0';
	return room.length;
}
