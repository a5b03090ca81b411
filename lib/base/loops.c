/*
 * The event loops of a recording: their sums. Owns nothing.
 *
 * Loads are relaxed: every number is right by itself, and the validity word is
 * read with acquire before them (it pairs with the thread's enrolment).
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/loops.h"
#include "base/atomic.h"

static const char *const call_names[] = {
#define X(name, text) text,
	BLOCKING_CALLS(X)
#undef X
};

const char *blocking_call_name(uint32_t call)
{
	return call < CALL_COUNT ? call_names[call] : "";
}

static bool is_valid(const struct thread_record *thread)
{
	uint32_t state = load_acquire(&thread->state);

	return state == THREAD_LIVE || state == THREAD_ENDED;
}

bool thread_is_loop(const struct thread_record *thread)
{
	return is_valid(thread) && load_relaxed(&thread->waits) >= 2;
}

/* The part was counted as a whole before: it is never more, if read first. */
static uint64_t difference(const uint64_t *whole, const uint64_t *part)
{
	uint64_t off = load_acquire(part);

	return load_relaxed(whole) - off;
}

uint64_t thread_stalls(const struct thread_record *thread)
{
	return difference(&thread->stalls, &thread->left);
}

uint64_t thread_stalled_ns(const struct thread_record *thread)
{
	return difference(&thread->stalled_ns, &thread->left_ns);
}

/* A program that waits once, computes and exits by itself is no loop. */
static bool may_have_hung(const struct recording *rec,
			  const struct thread_record *thread)
{
	uint32_t end = load_relaxed(&rec->end);

	return thread_is_loop(thread) ||
	       (end != END_EXIT && end != END_AT_ONCE);
}

uint64_t thread_unfinished_ns(const struct recording *rec,
			      const struct thread_record *thread,
			      uint64_t now_ns)
{
	uint64_t begun_ns = load_relaxed(&thread->run_begun_ns);

	uint64_t stall_ns = load_relaxed(&thread->stall_ns);

	if (load_acquire(&thread->state) != THREAD_LIVE || !stall_ns)
		return 0;
	if (!begun_ns || begun_ns >= now_ns || !may_have_hung(rec, thread))
		return 0;
	return now_ns - begun_ns >= stall_ns ? now_ns - begun_ns : 0;
}

static void add(struct loops *total, const struct thread_record *thread,
		uint64_t unfinished_ns)
{
	bool is_loop = thread_is_loop(thread);
	uint64_t ended_ns = is_loop ? load_relaxed(&thread->longest_run_ns) : 0;

	total->count += is_loop;
	total->left += load_relaxed(&thread->left);
	total->left_ns += load_relaxed(&thread->left_ns);
	total->stalls += thread_stalls(thread);
	total->stalled_ns += thread_stalled_ns(thread);
	total->unseen += load_relaxed(&thread->unseen);
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		total->cause_ns[i] += load_relaxed(&thread->cause_ns[i]);
	total->unfinished += unfinished_ns != 0;
	total->longest_ns =
		max_u64(total->longest_ns, max_u64(ended_ns, unfinished_ns));
}

struct loops loops_of(const struct recording *rec, uint64_t now_ns)
{
	const struct thread_record *t = section_records(rec, SECTION_THREADS);
	uint32_t n = rec->section[SECTION_THREADS].capacity;
	struct loops total = { 0 };

	for (; n; n--, t++) {
		if (is_valid(t))
			add(&total, t, thread_unfinished_ns(rec, t, now_ns));
	}
	return total;
}

uint64_t thread_watched_ns(const struct thread_record *thread, uint64_t now_ns)
{
	uint64_t begun_ns = load_relaxed(&thread->first_wait_ns);
	uint64_t last_ns = load_acquire(&thread->state) == THREAD_ENDED
				   ? load_relaxed(&thread->latest_ns)
				   : now_ns;

	return last_ns - min_u64(begun_ns, last_ns);
}

static const struct {
	const char *key;
	uint64_t parts;
} percentiles[] = {
#define X(name, title, key, parts) { key, parts },
	PERCENTILES(X)
#undef X
};

const char *percentile_key(enum percentile percentile)
{
	return percentiles[percentile].key;
}

struct run_lengths run_lengths_of(const struct recording *rec,
				  const struct thread_record *thread)
{
	const struct histogram *histogram =
		section_records(rec, SECTION_HISTOGRAMS);
	uint32_t place = load_relaxed(&thread->histogram);
	uint64_t longest_ns = load_relaxed(&thread->longest_run_ns);
	uint64_t runs = load_relaxed(&thread->waits);
	struct run_lengths lengths = { .is_known = place };

	if (!place)
		return lengths;
	/* Each wait that returned began one. */
	runs -= runs && load_relaxed(&thread->run_begun_ns);
	for (int i = 0; i < PERCENTILE_COUNT; i++) {
		uint64_t ns = histogram_percentile(&histogram[place - 1], runs,
						   percentiles[i].parts);

		lengths.ns[i] = min_u64(ns, longest_ns);
	}
	return lengths;
}
