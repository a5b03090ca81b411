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
#include "base/lasting.h"

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
	return is_valid(thread) && (load_relaxed(&thread->waits) >= 2 ||
				    load_relaxed(&thread->stalls));
}

static void add_lasting(struct thread_stalls *stalls,
			const struct thread_record *thread,
			const struct lasting *lasting)
{
	if (!lasting->ns)
		return;
	stalls->count++;
	stalls->ns += lasting->ns;
	stalls->unseen += lasting->is_unseen;
	stalls->cause_ns[CAUSE_BLOCKED] += lasting->rest_ns;
	if (lasting->is_unseen || lasting->rest_ns == lasting->ns)
		return;
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		stalls->cause_ns[i] += load_relaxed(&thread->run_cause_ns[i]);
}

struct thread_stalls thread_stalls(const struct recording *rec,
				   const struct thread_record *thread,
				   uint64_t now_ns)
{
	struct lasting lasting = lasting_of(rec, thread, now_ns);
	struct thread_stalls stalls = {
		.count = load_relaxed(&thread->stalls),
		.ns = load_relaxed(&thread->stalled_ns),
		.unseen = load_relaxed(&thread->unseen),
	};

	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		stalls.cause_ns[i] = load_relaxed(&thread->cause_ns[i]);
	add_lasting(&stalls, thread, &lasting);
	return stalls;
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

static void add(struct loops *total, const struct recording *rec,
		const struct thread_record *thread, uint64_t now_ns)
{
	struct thread_stalls stalls = thread_stalls(rec, thread, now_ns);
	uint64_t unfinished_ns = thread_unfinished_ns(rec, thread, now_ns);
	bool is_loop = thread_is_loop(thread);
	uint64_t ended_ns = is_loop ? load_relaxed(&thread->longest_run_ns) : 0;

	total->count += is_loop;
	total->left += load_relaxed(&thread->left);
	total->left_ns += load_relaxed(&thread->left_ns);
	total->stalls += stalls.count;
	total->stalled_ns += stalls.ns;
	total->unseen += stalls.unseen;
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		total->cause_ns[i] += stalls.cause_ns[i];
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
			add(&total, rec, t, now_ns);
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
