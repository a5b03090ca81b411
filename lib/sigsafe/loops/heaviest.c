/*
 * The heaviest place of a run. The callee with more than half of the time of
 * what called it is found by one vote, in which each nanosecond cancels one of
 * another callee's (Boyer and Moore, "MJRTY", 1981), and one count.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/loops/heaviest.h"

#include "base/atomic.h"
#include "sigsafe/live.h"
#include "sigsafe/loops/run_samples.h"
#include "sigsafe/record/stack_table.h"

/*
 * What a stack is in, behind the frames it shares: a call, by its frame; or the
 * code of the function itself, at whichever instruction; or nothing.
 */
#define AT_ITS_END UINT64_C(0)
#define AT_WORK	   FRAME_EXACT

/* The samples whose stacks begin with the first `shared` frames of lead. */
struct place {
	const struct thread *self;
	struct stack_frames lead;
	uint32_t shared; /* counted from the outermost */
};

struct heavy {
	uint64_t ns;
	uint32_t stack; /* 0: none */
};

struct callee {
	uint64_t key;
	uint64_t ns;
	uint64_t whole_ns; /* of all callees of the place */
	struct heavy in;   /* its heaviest sample */
	struct heavy out;  /* the heaviest of others */
};

/* A thread starts in a module: what is none at the end was walked too far. */
static struct stack_frames sound_frames(const struct recording *rec,
					uint32_t place)
{
	struct stack_frames stack = stack_table_frames(rec, place);

	while (stack.depth && !FRAME_MODULE(stack.frame[stack.depth - 1]))
		stack.depth--;
	return stack;
}

/* frame number n, counted from the outermost */
static uint64_t frame_at(const struct stack_frames *stack, uint32_t n)
{
	return stack->frame[stack->depth - 1 - n];
}

static uint64_t key_of(const struct stack_frames *stack, uint32_t n)
{
	uint64_t frame;

	if (n >= stack->depth)
		return AT_ITS_END;
	frame = frame_at(stack, n);
	return frame & FRAME_EXACT ? AT_WORK : frame;
}

static bool is_there(const struct place *place,
		     const struct stack_frames *stack)
{
	if (stack->depth < place->shared)
		return false;
	for (uint32_t n = 0; n < place->shared; n++) {
		if (frame_at(stack, n) != frame_at(&place->lead, n))
			return false;
	}
	return true;
}

/* When the machine did not let a thread run says nothing of where it works. */
static uint64_t weight_of(const struct sample_record *sample)
{
	uint32_t cause = SAMPLE_LOCK(sample->key);

	return CAUSE_OF(cause) == CAUSE_UNSCHEDULED ? 0 : sample->total_ns;
}

/* A sample of the place. */
struct visit {
	uint64_t key;
	uint64_t ns;
	uint32_t stack;
};

typedef void visitor(struct callee *callee, const struct visit *visit);

static void vote(struct callee *callee, const struct visit *visit)
{
	callee->whole_ns += visit->ns;
	if (visit->key == callee->key) {
		callee->ns += visit->ns;
	} else if (visit->ns > callee->ns) {
		callee->key = visit->key;
		callee->ns = visit->ns - callee->ns;
	} else {
		callee->ns -= visit->ns;
	}
}

static void count(struct callee *callee, const struct visit *visit)
{
	bool is_in = visit->key == callee->key;
	struct heavy *heavy = is_in ? &callee->in : &callee->out;

	callee->ns += is_in ? visit->ns : 0;
	if (visit->ns > heavy->ns)
		*heavy = (struct heavy){ visit->ns, visit->stack };
}

/* Visits no more than there are samples: the list may be a ring by now. */
static void for_each(const struct place *place, struct callee *callee,
		     visitor *visit_one)
{
	uint32_t left = live_capacity(SECTION_SAMPLES);
	const struct sample_record *sample =
		run_samples_at(place->self, place->self->loop->samples);

	for (; sample && left; left--) {
		struct visit visit = { .stack = SAMPLE_STACK(sample->key) };
		struct stack_frames stack =
			sound_frames(place->self->recording, visit.stack);

		visit.key = key_of(&stack, place->shared);
		visit.ns = weight_of(sample);
		if (is_there(place, &stack))
			visit_one(callee, &visit);
		sample = run_samples_at(place->self, sample->next);
	}
}

static struct callee callee_at(const struct place *place)
{
	struct callee callee = { .key = AT_ITS_END };

	for_each(place, &callee, vote);
	callee.ns = 0;
	for_each(place, &callee, count);
	return callee;
}

/* Of stacks with nothing in common one is the beginning of a stack only. */
static void keep_apart(struct heaviest *found, const struct place *place,
		       const struct callee *callee)
{
	const struct heavy *apart =
		found->stack == callee->in.stack ? &callee->out : &callee->in;

	found->apart = place->shared ? apart->stack : 0;
}

struct heaviest heaviest_of(const struct thread *self)
{
	struct place place = { .self = self };
	struct heaviest found = { .stack = 0 };
	bool is_split = false;
	uint64_t whole_ns = 0;

	for (;; place.shared++) {
		struct callee callee = callee_at(&place);
		bool has_most = callee.ns > callee.whole_ns / 2;

		if (!callee.whole_ns)
			return found;
		whole_ns = max_u64(whole_ns, callee.whole_ns);
		found.stack = has_most || callee.in.ns >= callee.out.ns
				      ? callee.in.stack
				      : callee.out.stack;
		if (!is_split && whole_ns - callee.ns > whole_ns / 10) {
			keep_apart(&found, &place, &callee);
			is_split = true;
		}
		if (!has_most || callee.key == AT_ITS_END ||
		    callee.key == AT_WORK)
			return found;
		place.lead = sound_frames(self->recording, found.stack);
	}
}
