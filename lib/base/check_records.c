/*
 * The checks of a copy's records, section by section: those that refer to
 * nothing are wiped.
 *
 * Sections do not overlap, and only records outside the stack arena are ever
 * wiped: so what has been found sound stays sound.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/check_records.h"

/* Ends a string in its room. */
#define end_string(array) ((array)[sizeof(array) - 1] = '\0')

const struct stack_record *check_stack(const struct recording *rec,
				       uint32_t place)
{
	uint64_t words = rec->section[SECTION_STACKS].capacity;
	uint32_t modules = rec->section[SECTION_MODULES].capacity;
	const uint64_t *arena = section_records(rec, SECTION_STACKS);
	const struct stack_record *stack;

	if (!place || place + STACK_RECORD_WORDS(0) > words)
		return NULL;
	stack = (const struct stack_record *)(arena + place);
	if (!stack->depth || stack->depth > MAX_DEPTH ||
	    place + STACK_RECORD_WORDS(stack->depth) > words)
		return NULL;
	for (uint32_t i = 0; i < stack->depth; i++) {
		if (FRAME_MODULE(stack->frame[i]) >= modules)
			return NULL;
	}
	return stack;
}

/*
 * Of a recording that is written to while it is read, or whose process was
 * killed as it wrote, the stack that a record tells of may not be there: then
 * only that is not known.
 */
static void forget_missing(const struct recording *rec, uint32_t *stack)
{
	if (*stack && !check_stack(rec, *stack))
		*stack = 0;
}

static uint64_t check_modules(struct recording *rec)
{
	struct module_record *module = section_records(rec, SECTION_MODULES);
	uint32_t n = rec->section[SECTION_MODULES].capacity;
	uint64_t damaged = 0;

	for (; n; n--, module++) {
		end_string(module->path);
		if (module->ready && module->build_id_bytes > BUILD_ID_BYTES) {
			module->ready = 0;
			damaged++;
		}
	}
	return damaged;
}

static bool is_sound_thread(const struct recording *rec,
			    const struct thread_record *thread)
{
	return thread->state <= THREAD_ENDED &&
	       thread->wait_call < CALL_COUNT &&
	       thread->blocked_call < CALL_COUNT &&
	       thread->histogram <= rec->section[SECTION_HISTOGRAMS].capacity &&
	       thread->nested_call < CALL_COUNT;
}

static uint64_t check_threads(struct recording *rec)
{
	struct thread_record *thread = section_records(rec, SECTION_THREADS);
	uint32_t n = rec->section[SECTION_THREADS].capacity;
	uint64_t damaged = 0;

	for (; n; n--, thread++) {
		end_string(thread->name);
		forget_missing(rec, &thread->nested_stack);
		forget_missing(rec, &thread->blocked_stack);
		if (!is_sound_thread(rec, thread)) {
			thread->state = THREAD_FREE;
			damaged++;
		}
	}
	return damaged;
}

static uint64_t check_locks(struct recording *rec)
{
	struct lock_record *lock = section_records(rec, SECTION_LOCKS);
	uint32_t n = rec->section[SECTION_LOCKS].capacity;
	uint64_t damaged = 0;

	for (; n; n--, lock++) {
		end_string(lock->taker_name);
		forget_missing(rec, &lock->first_stack);
		forget_missing(rec, &lock->taker_stack);
		if (lock->key && lock->kind >= LOCK_KIND_COUNT) {
			lock->key = 0;
			damaged++;
		}
	}
	return damaged;
}

/* As in base/cause.h. */
static bool is_sound_call(uint32_t call)
{
	return call < CALL_COUNT ||
	       (CALL_IS_UNNAMED(call) &&
		CALL_SYSTEM_NUMBER(call) < CALL_UNNAMED_LIMIT);
}

static bool is_sound_cause(const struct recording *rec, uint32_t cause)
{
	uint32_t detail = CAUSE_DETAIL(cause);

	if (cause_has_lock(CAUSE_OF(cause)))
		return detail < rec->section[SECTION_LOCKS].capacity;
	if (CAUSE_OF(cause) == CAUSE_BLOCKED)
		return is_sound_call(detail);
	return CAUSE_OF(cause) < CAUSE_COUNT;
}

static bool is_sound_sample(const struct recording *rec, uint64_t key)
{
	uint32_t locks = rec->section[SECTION_LOCKS].capacity;

	if (!(key >> 61) || sample_profile(key) >= SAMPLE_KINDS ||
	    !check_stack(rec, SAMPLE_STACK(key)))
		return false;
	return sample_profile(key) == SAMPLE_STALL
		       ? is_sound_cause(rec, SAMPLE_LOCK(key))
		       : SAMPLE_LOCK(key) < locks;
}

static uint64_t check_samples(struct recording *rec)
{
	struct sample_record *sample = section_records(rec, SECTION_SAMPLES);
	uint32_t n = rec->section[SECTION_SAMPLES].capacity;
	uint64_t damaged = 0;

	for (; n; n--, sample++) {
		if (sample->key && sample->key != SAMPLE_GONE &&
		    !is_sound_sample(rec, sample->key)) {
			sample->key = 0;
			damaged++;
		}
	}
	return damaged;
}

static bool is_sound_event(const struct recording *rec,
			   const struct event_record *event)
{
	return event->thread < rec->section[SECTION_THREADS].capacity &&
	       event->state < RUN_STATES && is_sound_call(event->call) &&
	       event->lock_index < rec->section[SECTION_LOCKS].capacity;
}

/* Returns how many were damaged: 0 or 1. */
static uint64_t check_event(const struct recording *rec,
			    struct event_record *event)
{
	end_string(event->name);
	end_string(event->holder_name);
	end_string(event->releaser_name);
	forget_missing(rec, &event->stack);
	forget_missing(rec, &event->apart);
	forget_missing(rec, &event->latest);
	forget_missing(rec, &event->release);
	if (!event->begun_ns || is_sound_event(rec, event))
		return 0;
	event->begun_ns = 0;
	return 1;
}

static uint64_t check_events(struct recording *rec)
{
	struct event_record *event = section_records(rec, SECTION_EVENTS);
	uint32_t n = rec->section[SECTION_EVENTS].capacity;
	uint64_t damaged = 0;

	for (; n; n--, event++)
		damaged += check_event(rec, event);
	return damaged;
}

static uint64_t check_longest(struct recording *rec)
{
	struct longest_record *longest = section_records(rec, SECTION_LONGEST);
	uint32_t n = rec->section[SECTION_LONGEST].capacity;
	uint64_t damaged = 0;

	for (; n; n--, longest++)
		damaged += check_event(rec, &longest->event);
	return damaged;
}

static uint64_t check_waiters(struct recording *rec)
{
	struct waiter_record *waiter = section_records(rec, SECTION_WAITERS);
	uint32_t n = rec->section[SECTION_WAITERS].capacity;
	uint64_t damaged = 0;

	for (; n; n--, waiter++) {
		end_string(waiter->name);
		forget_missing(rec, &waiter->stack);
		if (waiter->start_ns &&
		    waiter->lock >= rec->section[SECTION_LOCKS].capacity) {
			waiter->start_ns = 0;
			damaged++;
		}
	}
	return damaged;
}

uint64_t check_records(struct recording *rec)
{
	return check_modules(rec) + check_threads(rec) + check_locks(rec) +
	       check_samples(rec) + check_events(rec) + check_longest(rec) +
	       check_waiters(rec);
}
