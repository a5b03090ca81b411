/*
 * The locks of a report: those that are held, then semaphores, then barriers
 * and joins; each with the law of contention.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/words.h"
#include "report/write_contention.h"

struct sums {
	uint64_t locks;
	uint64_t longest_ns;
};

static struct sums sums_of(const struct process *process,
			   enum sample_kind profile)
{
	struct sums sums = { 0 };

	for (size_t i = 0; i < process->locks_count; i++) {
		const struct lock *lock = process->locks[i];

		if (lock->profile != profile)
			continue;
		sums.locks++;
		sums.longest_ns =
			max_u64(sums.longest_ns, lock->longest_wait_ns);
	}
	return sums;
}

static void write_part(const struct report *report, uint64_t ns,
		       const char *where)
{
	if (ns)
		fprintf(report->out, "  %8s  %s\n",
			words_duration(&report->process->arena, ns), where);
}

static void write_law(const struct report *report, enum sample_kind profile)
{
	struct process *process = report->process;
	struct arena *arena = &process->arena;
	const struct law *law = &process->law[profile];

	if (!process->has_law[profile] || !law->waited_ns)
		return;
	fprintf(report->out, "\nWhere the %s of waiting went",
		words_duration(arena, law->waited_ns));
	if (law_closes(law))
		fputs(" (the sum is exact):\n", report->out);
	else
		fprintf(report->out, " (off by %jdns, with %s under way):\n",
			(intmax_t)(law->charged_ns + law->handoff_ns +
				   law->open_ns - law->waited_ns),
			words_count(arena, process->in_flight, "operation"));
	write_part(report, law->charged_ns,
		   process->samples[profile].is_known
			   ? "to the code above"
			   : "to unlocks, which are not in this file");
	write_part(report, law->handoff_ns,
		   "between its unlock and the waiter's waking up");
	write_part(report, law->open_ns, "to unlocks that had not come");
}

static void write_held(const struct report *report)
{
	struct process *process = report->process;
	struct arena *arena = &process->arena;
	struct sums sums = sums_of(process, SAMPLE_MUTEX);
	uint64_t waited_ns = process->law[SAMPLE_MUTEX].waited_ns;

	if (!sums.locks && !waited_ns) {
		fputs("Locks: none made a thread wait.\n", report->out);
		return;
	}
	/* The text of unlocks tells of no lock before the first unlock. */
	fprintf(report->out, "Locks: %s made threads wait for %s",
		sums.locks ? words_count(arena, sums.locks, "lock") : "some",
		waited_ns ? arena_print(arena, "%s in all",
					words_duration(arena, waited_ns))
			  : "an unknown time");
	if (sums.longest_ns)
		fprintf(report->out, "; the longest wait took %s",
			words_duration(arena, sums.longest_ns));
	fputs(".\n", report->out);
	write_lock_table(report, SAMPLE_MUTEX);
	write_unlockers(report, SAMPLE_MUTEX, "unlock");
	write_law(report, SAMPLE_MUTEX);
}

/* Waiting for a semaphore may be work to do, or that there is none. */
static void write_semaphores(const struct report *report)
{
	struct process *process = report->process;
	struct arena *arena = &process->arena;
	struct sums sums = sums_of(process, SAMPLE_SEM);

	if (!sums.locks)
		return;
	fprintf(report->out,
		"\nSemaphores: threads waited for %s of them, %s in all, often "
		"because\nthere was nothing to do.\n",
		words_number(arena, sums.locks),
		words_duration(arena, process->law[SAMPLE_SEM].waited_ns));
	write_lock_table(report, SAMPLE_SEM);
	write_unlockers(report, SAMPLE_SEM, "post");
	write_law(report, SAMPLE_SEM);
}

static void write_unheld(const struct report *report)
{
	struct process *process = report->process;
	uint64_t waited_ns = process->law[SAMPLE_WAIT].waited_ns;

	if (!waited_ns)
		return;
	fprintf(report->out,
		"\nBarriers and joins: threads waited there for %s, which is "
		"charged to nobody.\n",
		words_duration(&process->arena, waited_ns));
	write_lock_table(report, SAMPLE_WAIT);
}

void write_locks(const struct report *report)
{
	const struct process *process = report->process;

	if (!process->samples[SAMPLE_MUTEX].is_known &&
	    !process->samples[SAMPLE_WAIT].is_known &&
	    !process->samples[SAMPLE_SEM].is_known) {
		fputs(process->has_text[SAMPLE_STALL]
			      ? "Locks: not in this file.\n"
			      : "Locks: not watched.\n",
		      report->out);
		return;
	}
	write_held(report);
	write_semaphores(report);
	write_unheld(report);
	write_waiters(report);
	write_open_waits(report);
}
