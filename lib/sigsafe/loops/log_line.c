/*
 * The log's line.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/loops/log_line.h"

#include <string.h>

#include "base/atomic.h"
#include "base/lock_kind.h"
#include "base/loops.h"
#include "base/text_map.h"
#include "base/timeline.h"
#include "sigsafe/live.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/program_name.h"
#include "sigsafe/os/thread_name.h"
#include "sigsafe/record/stack_table.h"

#define FRAMES	     6
#define OBJECT_BYTES 40 /* of its name, at most */

static void say_thread(struct pen *pen, const char *name, int tid)
{
	pen_name(pen, name, NAME_BYTES);
	pen_number(pen, " (", (uint64_t)tid, ")");
}

void log_line_begin(struct pen *pen)
{
	uint64_t passed_ns = clock_now_ns() - live_header.start_ns;

	pen_text(pen, "stallshim: ");
	pen_utc(pen, live_header.start_realtime_ns + passed_ns);
	pen_text(pen, " ");
	say_thread(pen, live_header.comm, live_header.pid);
}

/* The module of a frame, or NULL: it is in none. */
static const struct module_record *module_of(const struct recording *rec,
					     uint64_t frame)
{
	const struct module_record *table = live_records(rec, SECTION_MODULES);
	uint32_t number = FRAME_MODULE(frame);

	/* Acquire pairs with the release that makes a module ready. */
	return number && number < live_capacity(SECTION_MODULES) &&
			       load_acquire(&table[number].ready)
		       ? &table[number]
		       : NULL;
}

/* "app+": its name, of which the rest is left out where it is long. */
static void say_object(struct pen *pen, const struct module_record *module)
{
	const char *name = program_name_of(module);

	pen_word(pen, name, OBJECT_BYTES);
	pen_text(pen, strnlen(name, PATH_BYTES) > OBJECT_BYTES ? "...+" : "+");
}

/* The record of the lock it waited for, if that has not become another's. */
static const struct lock_record *lock_of(const struct recording *rec,
					 const struct event_record *event)
{
	const struct lock_record *lock = live_records(rec, SECTION_LOCKS);

	if (!event->lock || event->lock_index >= live_capacity(SECTION_LOCKS))
		return NULL;
	lock += event->lock_index;
	return lock->address == event->lock ? lock : NULL;
}

/* "app+0x40c0", or "0x7ffd0c0b3e0a0 on a stack" */
static void say_place(struct pen *pen, const struct recording *rec,
		      const struct lock_record *lock)
{
	const struct module_record *module = module_of(rec, lock->place);

	if (module)
		say_object(pen, module);
	pen_text(pen, "0x");
	pen_hex(pen, module ? FRAME_OFFSET(lock->place) : lock->address, 1);
	if (lock->place == PLACE_STACK)
		pen_text(pen, " on a stack");
}

/*
 * A holder that never waited has left its name nowhere: the kernel knows it,
 * unless the thread has ended.
 */
static void say_somebody(struct pen *pen, const char *role, const char *name,
			 int tid)
{
	char asked[NAME_BYTES] = "";

	if (!*name) {
		thread_name_of(tid, asked);
		name = asked;
	}
	pen_text(pen, role);
	if (*name)
		say_thread(pen, name, tid);
	else
		pen_number(pen, "thread ", (uint64_t)tid, "");
}

/* When that has ended its number may be another's: the kernel is not asked. */
static void say_join(struct pen *pen, const struct event_record *event)
{
	pen_text(pen, "waiting for thread ");
	if (*event->holder_name)
		say_thread(pen, event->holder_name, event->holder);
	else
		pen_number(pen, "", (uint64_t)event->holder, "");
	pen_text(pen, " to end");
}

/* "waiting for mutex app+0x40c0, held by worker1 (4712)" */
static void say_wait(struct pen *pen, const struct recording *rec,
		     const struct event_record *event, enum cause cause)
{
	const struct lock_record *lock = lock_of(rec, event);

	if (lock && lock->kind == LOCK_JOIN && event->holder > 0) {
		say_join(pen, event);
		return;
	}
	if (!lock || lock->kind == LOCK_JOIN ||
	    cause_of_wait(lock->kind) != cause) {
		pen_text(pen, cause_words(cause));
		return;
	}
	pen_text(pen, cause == CAUSE_BARRIER ? "waiting at " : "waiting for ");
	pen_text(pen, lock_kind_text(lock->kind));
	pen_text(pen, " ");
	say_place(pen, rec, lock);
	if (event->release)
		say_somebody(pen,
			     cause == CAUSE_LOCK ? ", held by "
						 : ", posted by ",
			     event->releaser_name, event->releaser);
	else if (cause == CAUSE_LOCK && event->holder == event->tid)
		pen_text(pen, ", held by itself");
	else if (cause == CAUSE_LOCK && event->holder > 0)
		say_somebody(pen, ", held by ", event->holder_name,
			     event->holder);
}

/* " in usleep", " in usleep and others" */
static void say_call(struct pen *pen, const struct event_record *event)
{
	uint32_t call = event->call;

	if (CALL_IS_UNNAMED(call)) {
		pen_number(pen, " in " CALL_UNNAMED_WORD,
			   CALL_SYSTEM_NUMBER(call), "");
	} else if (*blocking_call_name(call)) {
		pen_text(pen, " in ");
		pen_text(pen, blocking_call_name(call));
	} else {
		return;
	}
	if (event_has_other_calls(event))
		pen_text(pen, " and others");
}

static void say_cause(struct pen *pen, const struct recording *rec,
		      const struct event_record *event)
{
	enum cause cause = causes_main(event->cause_ns);

	pen_text(pen, ", ");
	if (cause_has_lock(cause)) {
		say_wait(pen, rec, event, cause);
		return;
	}
	pen_text(pen, cause_words(cause));
	if (cause == CAUSE_BLOCKED)
		say_call(pen, event);
}

/* "app+0x1234 < libfoo.so+0x42": the innermost first. */
static void say_stack(struct pen *pen, const struct recording *rec,
		      uint32_t place)
{
	struct stack_frames stack = stack_table_frames(rec, place);

	for (uint32_t i = 0; i < stack.depth && i < FRAMES; i++) {
		uint64_t frame = load_relaxed(&stack.frame[i]);
		const struct module_record *module = module_of(rec, frame);

		pen_text(pen, i ? " < " : ", at ");
		if (module)
			say_object(pen, module);
		pen_text(pen, "0x");
		pen_hex(pen, FRAME_OFFSET(frame) - 1, 1);
	}
}

static const char *const run_words[RUN_STATES] = {
	[RUN_LASTS] = " is stalled, for ",
	[RUN_CAME_BACK] = " stalled for ",
	[RUN_LEFT] = " left its loop (no stall), and ran for ",
};

void log_line_stall(struct pen *pen, const struct recording *rec,
		    const struct event_record *event)
{
	log_line_begin(pen);
	pen_text(pen, ": ");
	say_thread(pen, event->name, event->tid);
	pen_text(pen, run_words[event->state]);
	pen_duration_rounded(pen, event->duration_ns);
	if (event->state == RUN_LASTS)
		pen_text(pen, " so far");
	say_cause(pen, rec, event);
	pen_number(pen, ", ", event->events,
		   event->events == 1 ? " event" : " events");
	say_stack(pen, rec, event->stack);
}
