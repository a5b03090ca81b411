/*
 * Causes in words.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/write_why.h"

#include "report/familiar.h"
#include "report/words.h"
#include "report/write_contention.h"

/* What is less than a hundredth is left out. */
#define LEAST_SHOWN 100

/* A lock's holder is shown from this part of the main cause on. */
#define LEAST_LOCK 10

/* What is in front of the lock's name. Joins have no lock of their own. */
static const char *const lock_phrases[CAUSE_COUNT] = {
	[CAUSE_LOCK] = "waiting for",
	[CAUSE_SEMAPHORE] = "waiting for semaphore",
	[CAUSE_BARRIER] = "waiting at barrier",
};

/* What the causes are of; and the stall, where they are of only one. */
struct subjects {
	const struct why *why; /* by cause */
	const struct stall *stall;
	const struct blame *blame; /* they are the heaviest of; or NULL */
};

static const struct why unknown[CAUSE_COUNT];

/* Whoever let go of the lock told its name; it may be gone since. */
static const char *holder_name(const struct report *report,
			       const struct stall *stall)
{
	if (!*stall->holder_name)
		return thread_text(report, stall->holder);
	return arena_print(&report->process->arena, "%s (%d)",
			   stall->holder_name, stall->holder);
}

/* ", held by worker1 (4712)", or "". */
static const char *holder_text(const struct report *report, enum cause cause,
			       const struct stall *stall)
{
	struct arena *arena = &report->process->arena;

	if (!stall || !stall->holder ||
	    (stall->lock && cause_of_wait(stall->lock->kind) != cause))
		return "";
	if (cause == CAUSE_LOCK && stall->holder == stall->tid)
		return ", held by itself";
	if (cause == CAUSE_LOCK)
		return arena_print(arena, ", held by %s",
				   holder_name(report, stall));
	/* Nobody holds a semaphore: it is known who ended the wait. */
	if (cause == CAUSE_SEMAPHORE && stall->release)
		return arena_print(arena, ", posted by %s",
				   holder_name(report, stall));
	return "";
}

/* What has less of its cause than this part is not all there is to it. */
#define MOST 9 / 10

/* Of one stall it is not known how much of the time its call had. */
static const char *others_of_stall(enum cause cause, const struct stall *stall)
{
	return stall && cause == CAUSE_BLOCKED && stall->has_other_calls
		       ? " and others"
		       : "";
}

/* " (57.7%) and others", or "". */
static const char *others_text(const struct report *report, enum cause cause,
			       const struct subjects *subjects)
{
	struct arena *arena = &report->process->arena;
	const struct blame *blame = subjects->blame;

	if (!blame)
		return others_of_stall(cause, subjects->stall);
	if (blame->most_ns[cause] >= blame->cause_ns[cause] * MOST)
		return "";
	return arena_print(arena, " (%s) and others",
			   words_share(arena, blame->most_ns[cause],
				       blame->cause_ns[cause]));
}

/* Is it known which thread it waited for to end? Of all stalls it is not. */
static bool is_join(const struct stall *stall)
{
	return stall && stall->holder > 0 && stall->lock &&
	       stall->lock->kind == LOCK_JOIN;
}

static const char *cause_text(const struct report *report, enum cause cause,
			      const struct subjects *subjects)
{
	struct arena *arena = &report->process->arena;
	const struct why *why = &subjects->why[cause];
	const char *holder = holder_text(report, cause, subjects->stall);
	const char *others = others_text(report, cause, subjects);

	if (cause == CAUSE_JOIN && is_join(subjects->stall))
		return arena_print(arena, "waiting for thread %s to end",
				   holder_name(report, subjects->stall));
	if (cause == CAUSE_BLOCKED && why->call && *why->call)
		return arena_print(arena, "blocked in %s%s", why->call, others);
	if (why->lock && lock_phrases[cause])
		return arena_print(arena, "%s %s%s%s", lock_phrases[cause],
				   lock_text(report, why->lock), holder,
				   others);
	return arena_print(arena, "%s%s", cause_words(cause), holder);
}

/* The causes with a part of the whole, the largest first. */
static const char *list_causes(const struct report *report,
			       const uint64_t cause_ns[CAUSE_COUNT],
			       const struct subjects *subjects)
{
	struct arena *arena = &report->process->arena;
	uint64_t left[CAUSE_COUNT], whole_ns = 0;
	const char *text = "";

	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		whole_ns += left[i] = cause_ns[i];
	for (;;) {
		enum cause cause = causes_main(left);
		uint64_t ns = left[cause];
		const char *words;

		if (!ns || ns < whole_ns / LEAST_SHOWN)
			return text;
		left[cause] = 0;
		words = cause_text(report, cause, subjects);
		if (whole_ns - ns < whole_ns / LEAST_SHOWN)
			return words;
		text = arena_print(arena, "%s%s%s %s", text, *text ? ", " : "",
				   words_share(arena, ns, whole_ns), words);
	}
}

const char *causes_text(const struct report *report,
			const uint64_t cause_ns[CAUSE_COUNT])
{
	const struct subjects none = { .why = unknown };

	return list_causes(report, cause_ns, &none);
}

/*
 * Of the causes that somebody ends by an unlock or a post the larger, if it had
 * a part that is worth to be told of; else CAUSE_UNKNOWN.
 */
static enum cause released_cause(const uint64_t cause_ns[CAUSE_COUNT])
{
	uint64_t least_ns = cause_ns[causes_main(cause_ns)] / LEAST_LOCK;
	enum cause cause = cause_ns[CAUSE_SEMAPHORE] > cause_ns[CAUSE_LOCK]
				   ? CAUSE_SEMAPHORE
				   : CAUSE_LOCK;

	return cause_ns[cause] > least_ns ? cause : CAUSE_UNKNOWN;
}

static const char *evidence_text(const struct report *report,
				 const struct stall *stall)
{
	struct arena *arena = &report->process->arena;
	const char *text = arena_print(arena, "%s on CPU",
				       words_duration(arena, stall->cpu_ns));

	if (stall->voluntary)
		text = arena_print(arena, "%s, slept %ux", text,
				   stall->voluntary);
	if (stall->involuntary)
		text = arena_print(arena, "%s, preempted %ux", text,
				   stall->involuntary);
	if (stall->major_faults)
		text = arena_print(
			arena, "%s, %s", text,
			words_count(arena, stall->major_faults, "major fault"));
	if (stall->cause_ns[CAUSE_FAULTS])
		text = arena_print(
			arena, "%s, %s", text,
			words_count(arena, stall->minor_faults, "minor fault"));
	if (stall->late_ns >= NS_PER_MS)
		text = arena_print(arena, "%s, tick %s late", text,
				   words_duration(arena, stall->late_ns));
	return text;
}

const char *stall_why(const struct report *report, const struct stall *stall)
{
	struct why why[CAUSE_COUNT] = {
		[CAUSE_BLOCKED] = { .call = stall->call },
	};
	const struct subjects subjects = { .why = why, .stall = stall };
	const char *text;

	if (stall->lock)
		why[cause_of_wait(stall->lock->kind)].lock = stall->lock;
	text = list_causes(report, stall->cause_ns, &subjects);
	if (!*text)
		return "";
	return arena_print(&report->process->arena, "%s (%s)", text,
			   evidence_text(report, stall));
}

/* Where no unlock was seen to end it: who lets go of that lock most. */
static const struct stack *usual_release(const struct report *report,
					 const struct lock *lock)
{
	const struct samples *samples =
		&report->process->samples[lock->profile];
	const struct sample *heaviest = NULL;

	for (size_t i = 0; i < samples->count; i++) {
		const struct sample *sample = &samples->list[i];

		if (sample->lock == lock &&
		    (!heaviest || sample->total_ns > heaviest->total_ns))
			heaviest = sample;
	}
	return heaviest ? heaviest->stack : NULL;
}

static void write_release(const struct report *report,
			  const struct blame *blame, enum cause cause)
{
	const char *verb = cause == CAUSE_LOCK ? "let go" : "posted";
	const struct lock *lock = blame->why[cause].lock;
	const struct stall *held = blame->held;
	const struct stack *stack;

	if (held && (!held->lock || cause_of_wait(held->lock->kind) == cause)) {
		fprintf(report->out, "     %s was %s by %s, in\n",
			lock_text(report, held->lock), verb,
			holder_name(report, held));
		write_stack(report, held->release,
			    stack_headline(held->release));
	} else if (lock && (stack = usual_release(report, lock))) {
		fprintf(report->out, "     %s is %s mostly in\n",
			lock_text(report, lock), verb);
		write_stack(report, stack, stack_headline(stack));
	}
}

/*
 * Not scheduled for most of the time, and no stall without that? What the
 * program did itself is shared out evenly among its stalls.
 */
static bool is_the_machines(const struct report *report,
			    const struct blame *blame)
{
	uint64_t own_ns = 0;

	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		own_ns += i == CAUSE_UNSCHEDULED ? 0 : blame->cause_ns[i];
	return causes_main(blame->cause_ns) == CAUSE_UNSCHEDULED &&
	       own_ns / max_u64(blame->stalls, 1) <
		       threshold_of(&report->process->thresholds, "");
}

void write_blame_why(const struct report *report, const struct blame *blame)
{
	const struct subjects subjects = { .why = blame->why, .blame = blame };
	const char *text = list_causes(report, blame->cause_ns, &subjects);

	if (*text)
		fprintf(report->out, "     %s%s\n", text,
			is_the_machines(report, blame) ? ": the machine's doing"
						       : "");
}

void write_blame_holder(const struct report *report, const struct blame *blame)
{
	enum cause cause = released_cause(blame->cause_ns);

	if (cause != CAUSE_UNKNOWN)
		write_release(report, blame, cause);
}
