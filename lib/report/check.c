/*
 * The checks of a recording's copy. Owns what is known of each section.
 *
 * Sections do not overlap, and only records outside the stack arena are ever
 * wiped: so what has been found sound stays sound.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct kind {
	const char *name;
	uint32_t record_bytes;
	uint32_t alignment;
} kinds[SECTION_COUNT] = {
	[SECTION_MODULES] = { "modules", sizeof(struct module_record), 8 },
	[SECTION_THREADS] = { "threads", sizeof(struct thread_record), 8 },
	[SECTION_LOCKS] = { "locks", sizeof(struct lock_record),
			    _Alignof(struct lock_record) },
	[SECTION_SAMPLES] = { "samples", sizeof(struct sample_record), 8 },
	[SECTION_EVENTS] = { "events", sizeof(struct event_record), 8 },
	[SECTION_WAITERS] = { "waiters", sizeof(struct waiter_record), 8 },
	[SECTION_STACK_INDEX] = { "stack index", sizeof(uint32_t), 4 },
	[SECTION_STACKS] = { "stacks", sizeof(uint64_t), 8 },
};

struct fault {
	char *text;
	size_t size;
};

static bool refuse(struct fault fault, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static bool refuse(struct fault fault, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(fault.text, fault.size, format, arguments);
	va_end(arguments);
	return false;
}

static uint64_t section_bytes(const struct section *section)
{
	return (uint64_t)section->record_bytes * section->capacity;
}

static bool check_section(const struct recording *header, int which,
			  struct fault fault)
{
	const struct section *section = &header->section[which];
	const struct kind *kind = &kinds[which];

	if (section->record_bytes != kind->record_bytes)
		return refuse(fault, "has %s of another size: %u bytes",
			      kind->name, section->record_bytes);
	if (!section->capacity || section->offset % kind->alignment ||
	    section->offset < sizeof(*header) ||
	    section->offset > header->size_bytes ||
	    section_bytes(section) > header->size_bytes - section->offset)
		return refuse(fault, "is damaged: its %s lie outside",
			      kind->name);
	return true;
}

static bool do_overlap(const struct section *a, const struct section *b)
{
	return a->offset < b->offset + section_bytes(b) &&
	       b->offset < a->offset + section_bytes(a);
}

static bool check_sections(const struct recording *header, struct fault fault)
{
	for (int i = 0; i < SECTION_COUNT; i++) {
		if (!check_section(header, i, fault))
			return false;
		for (int j = 0; j < i; j++) {
			if (do_overlap(&header->section[i],
				       &header->section[j]))
				return refuse(fault,
					      "is damaged: its %s lie "
					      "in its %s",
					      kinds[i].name, kinds[j].name);
		}
	}
	return true;
}

/* Ends a string in its room. */
#define end_string(array) ((array)[sizeof(array) - 1] = '\0')

bool check_header(struct recording *header, uint64_t file_bytes, char *text,
		  size_t size)
{
	struct fault fault = { .text = text, .size = size };

	if (memcmp(header->magic, RECORDING_MAGIC, sizeof(header->magic)))
		return refuse(fault, "is no recording");
	if (header->version != RECORDING_VERSION)
		return refuse(fault,
			      "is a recording of format %u; this stallshim "
			      "reads format %u",
			      header->version, RECORDING_VERSION);
	if (header->header_bytes != sizeof(*header))
		return refuse(fault, "has a header of %u bytes in place of %zu",
			      header->header_bytes, sizeof(*header));
	if (header->size_bytes > file_bytes)
		return refuse(fault, "is cut short: %ju of %ju bytes are there",
			      (uintmax_t)file_bytes,
			      (uintmax_t)header->size_bytes);
	end_string(header->comm);
	end_string(header->host);
	end_string(header->version_text);
	return check_sections(header, fault);
}

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
	       (!thread->blocked_stack ||
		check_stack(rec, thread->blocked_stack));
}

static uint64_t check_threads(struct recording *rec)
{
	struct thread_record *thread = section_records(rec, SECTION_THREADS);
	uint32_t n = rec->section[SECTION_THREADS].capacity;
	uint64_t damaged = 0;

	for (; n; n--, thread++) {
		end_string(thread->name);
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
		if (lock->key && (lock->kind >= LOCK_KIND_COUNT ||
				  (lock->first_stack &&
				   !check_stack(rec, lock->first_stack)))) {
			lock->key = 0;
			damaged++;
		}
	}
	return damaged;
}

static bool is_sound_sample(const struct recording *rec, uint64_t key)
{
	uint32_t locks = rec->section[SECTION_LOCKS].capacity;

	return key >> 61 && SAMPLE_KIND(key) < SAMPLE_KINDS &&
	       (SAMPLE_KIND(key) == SAMPLE_STALL || SAMPLE_LOCK(key) < locks) &&
	       check_stack(rec, SAMPLE_STACK(key));
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
	       event->call < CALL_COUNT &&
	       (!event->stack || check_stack(rec, event->stack)) &&
	       (!event->apart || check_stack(rec, event->apart));
}

static uint64_t check_events(struct recording *rec)
{
	struct event_record *event = section_records(rec, SECTION_EVENTS);
	uint32_t n = rec->section[SECTION_EVENTS].capacity;
	uint64_t damaged = 0;

	for (; n; n--, event++) {
		end_string(event->name);
		if (event->begun_ns && !is_sound_event(rec, event)) {
			event->begun_ns = 0;
			damaged++;
		}
	}
	return damaged;
}

static uint64_t check_waiters(struct recording *rec)
{
	struct waiter_record *waiter = section_records(rec, SECTION_WAITERS);
	uint32_t n = rec->section[SECTION_WAITERS].capacity;
	uint64_t damaged = 0;

	for (; n; n--, waiter++) {
		end_string(waiter->name);
		if (waiter->start_ns &&
		    (waiter->lock >= rec->section[SECTION_LOCKS].capacity ||
		     (waiter->stack && !check_stack(rec, waiter->stack)))) {
			waiter->start_ns = 0;
			damaged++;
		}
	}
	return damaged;
}

uint64_t check_records(struct recording *rec)
{
	return check_modules(rec) + check_threads(rec) + check_locks(rec) +
	       check_samples(rec) + check_events(rec) + check_waiters(rec);
}
