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

static const char *cause_text(const struct report *report,
			      const struct why *why)
{
	struct arena *arena = &report->process->arena;

	if (why->cause == CAUSE_BLOCKED && why->call && *why->call)
		return arena_print(arena, "blocked in %s", why->call);
	if (why->cause == CAUSE_LOCK && why->lock)
		return arena_print(arena, "waiting for %s",
				   lock_text(report, why->lock));
	return cause_words(why->cause);
}

/* What the causes are of: the call and the lock, and who held that, or "". */
struct subjects {
	struct why blocked, locked;
	const char *holder;
};

static const char *subject_text(const struct report *report, enum cause cause,
				const struct subjects *subjects)
{
	const struct why bare = { .cause = cause };

	if (cause == CAUSE_BLOCKED)
		return cause_text(report, &subjects->blocked);
	if (cause == CAUSE_LOCK)
		return arena_print(&report->process->arena, "%s%s",
				   cause_text(report, &subjects->locked),
				   subjects->holder);
	return cause_text(report, &bare);
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
		words = subject_text(report, cause, subjects);
		if (whole_ns - ns < whole_ns / LEAST_SHOWN)
			return words;
		text = arena_print(arena, "%s%s%s %s", text, *text ? ", " : "",
				   words_share(arena, ns, whole_ns), words);
	}
}

const char *causes_text(const struct report *report,
			const uint64_t cause_ns[CAUSE_COUNT])
{
	const struct subjects none = {
		.blocked = { .cause = CAUSE_BLOCKED },
		.locked = { .cause = CAUSE_LOCK },
		.holder = "",
	};

	return list_causes(report, cause_ns, &none);
}

/* Did a lock have a part in it that is worth to be told of? */
static bool is_lock_stall(const uint64_t cause_ns[CAUSE_COUNT])
{
	uint64_t most_ns = cause_ns[causes_main(cause_ns)];

	return cause_ns[CAUSE_LOCK] > most_ns / LEAST_LOCK;
}

static const char *holder_text(const struct report *report,
			       const struct stall *stall)
{
	struct arena *arena = &report->process->arena;
	bool is_mutex = stall->lock && stall->lock->profile == SAMPLE_MUTEX;

	if (!stall->holder || (stall->lock && !is_mutex))
		return "";
	if (*stall->holder_name)
		return arena_print(arena, ", held by %s (%d)",
				   stall->holder_name, stall->holder);
	return arena_print(arena, ", held by %s",
			   thread_text(report, stall->holder));
}

/* In brackets, what it rests on. */
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
		text = arena_print(arena, "%s, %u major faults", text,
				   stall->major_faults);
	if (stall->cause_ns[CAUSE_FAULTS])
		text = arena_print(arena, "%s, %u minor faults", text,
				   stall->minor_faults);
	if (stall->late_ns >= NS_PER_MS)
		text = arena_print(arena, "%s, tick %s late", text,
				   words_duration(arena, stall->late_ns));
	return text;
}

const char *stall_why(const struct report *report, const struct stall *stall)
{
	const struct subjects subjects = {
		.blocked = { .cause = CAUSE_BLOCKED, .call = stall->call },
		.locked = { .cause = CAUSE_LOCK, .lock = stall->lock },
		.holder = holder_text(report, stall),
	};
	const char *text = list_causes(report, stall->cause_ns, &subjects);

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
			  const struct blame *blame)
{
	const struct stall *held = blame->held;
	const struct stack *stack;

	if (held && held->release) {
		fprintf(report->out, "     %s was let go by %s (%d), in\n",
			lock_text(report, held->lock), held->holder_name,
			held->holder);
		write_stack(report, held->release,
			    stack_headline(held->release));
		return;
	}
	if (!blame->locked.lock ||
	    !(stack = usual_release(report, blame->locked.lock)))
		return;
	fprintf(report->out, "     %s is let go mostly in\n",
		lock_text(report, blame->locked.lock));
	write_stack(report, stack, stack_headline(stack));
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
	const struct subjects subjects = {
		.blocked = { .cause = CAUSE_BLOCKED,
			     .call = blame->blocked.call },
		.locked = { .cause = CAUSE_LOCK, .lock = blame->locked.lock },
		.holder = "",
	};
	const char *text = list_causes(report, blame->cause_ns, &subjects);

	if (*text)
		fprintf(report->out, "     %s%s\n", text,
			is_the_machines(report, blame) ? ": the machine's doing"
						       : "");
}

void write_blame_holder(const struct report *report, const struct blame *blame)
{
	if (is_lock_stall(blame->cause_ns))
		write_release(report, blame);
}
