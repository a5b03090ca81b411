/*
 * The law of contention, summed over the locks of a recording. Sums are modulo
 * 2^64 like the ledger's: start times cancel, so nothing is lost by that.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/law.h"
#include "base/atomic.h"

/*
 * Relaxed loads: in_flight tells whether the sums fit each other. Of a process
 * that did not end by itself now_ns is the latest time that is written down,
 * and a lock may have been let go of after it: then nothing is open.
 */
struct law law_of_lock(const struct lock_record *lock, uint64_t now_ns)
{
	uint64_t n = LEDGER_N(load_relaxed(&lock->ledger.base_n));
	uint64_t sum = load_relaxed(&lock->ledger.sum);
	bool is_later = (int64_t)(n * now_ns - sum) < 0;
	uint64_t waits_until = is_later ? sum : n * now_ns;

	return (struct law){
		.waits = load_relaxed(&lock->waits),
		.waited_ns = load_relaxed(&lock->waited_sum) + waits_until,
		.charged_ns = load_relaxed(&lock->charged_ns),
		.handoff_ns = load_relaxed(&lock->handoff_ns),
		.open_ns = waits_until - sum,
	};
}

static void add(struct law *total, struct law part)
{
	total->waits += part.waits;
	total->waited_ns += part.waited_ns;
	total->charged_ns += part.charged_ns;
	total->handoff_ns += part.handoff_ns;
	total->open_ns += part.open_ns;
}

enum sample_kind law_profile_of(uint32_t lock_kind)
{
	switch (lock_kind) {
	case LOCK_SEMAPHORE:
		return SAMPLE_SEM;
	case LOCK_BARRIER:
	case LOCK_JOIN:
		return SAMPLE_WAIT;
	default:
		return SAMPLE_MUTEX;
	}
}

struct law law_of(const struct recording *rec, enum sample_kind profile,
		  uint64_t now_ns)
{
	const struct lock_record *lock = section_records(rec, SECTION_LOCKS);
	uint32_t n = rec->section[SECTION_LOCKS].capacity;
	struct law total = { 0 };

	for (; n; n--, lock++) {
		/* Pairs with the release that enters a lock in the table. */
		if (load_acquire(&lock->key) &&
		    law_profile_of(lock->kind) == profile)
			add(&total, law_of_lock(lock, now_ns));
	}
	return total;
}

bool law_closes(const struct law *law)
{
	return law->charged_ns + law->handoff_ns + law->open_ns ==
	       law->waited_ns;
}

static uint64_t latest_of_threads(const struct recording *rec)
{
	const struct thread_record *t = section_records(rec, SECTION_THREADS);
	uint32_t n = rec->section[SECTION_THREADS].capacity;
	uint64_t latest_ns = 0;

	for (; n; n--, t++) {
		latest_ns = max_u64(latest_ns, load_relaxed(&t->latest_ns));
		latest_ns = max_u64(latest_ns, load_relaxed(&t->run_begun_ns));
		latest_ns = max_u64(latest_ns, load_relaxed(&t->blocked_ns));
	}
	return latest_ns;
}

static uint64_t latest_of_events(const struct recording *rec)
{
	const struct event_record *e = section_records(rec, SECTION_EVENTS);
	uint32_t n = rec->section[SECTION_EVENTS].capacity;
	uint64_t latest_ns = 0;

	for (; n; n--, e++)
		latest_ns = max_u64(latest_ns,
				    load_relaxed(&e->begun_ns) +
					    load_relaxed(&e->duration_ns));
	return latest_ns;
}

/* A deadlock is threads that came, and nothing ever after. */
static uint64_t latest_of_waiters(const struct recording *rec)
{
	const struct waiter_record *w = section_records(rec, SECTION_WAITERS);
	uint32_t n = rec->section[SECTION_WAITERS].capacity;
	uint64_t latest_ns = 0;

	for (; n; n--, w++)
		latest_ns = max_u64(latest_ns, load_relaxed(&w->start_ns));
	return latest_ns;
}

uint64_t recording_now_ns(const struct recording *rec)
{
	uint64_t end_ns = load_relaxed(&rec->end_ns);
	uint64_t latest_ns =
		max_u64(rec->start_ns, load_relaxed(&rec->latest_ns));

	/* Other threads have gone on until the exec took place. */
	if (end_ns && load_relaxed(&rec->end) != END_EXEC)
		return end_ns;
	latest_ns = max_u64(latest_ns, end_ns);
	latest_ns = max_u64(latest_ns, latest_of_threads(rec));
	latest_ns = max_u64(latest_ns, latest_of_waiters(rec));
	return max_u64(latest_ns, latest_of_events(rec));
}
