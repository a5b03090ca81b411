/*
 * The log of stalls.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/log.h"

#include <signal.h>

#include "base/atomic.h"
#include "base/lock_kind.h"
#include "base/loops.h"
#include "base/pen.h"
#include "base/text_map.h"
#include "sigsafe/clock.h"
#include "sigsafe/live.h"
#include "sigsafe/log_door.h"
#include "sigsafe/program_name.h"
#include "sigsafe/stack_table.h"

#define NS_PER_MINUTE (60 * NS_PER_S)
#define FIRST_NS      NS_PER_S /* a stall that goes on is told from here on */
#define FRAMES	      6
#define OBJECT_BYTES  40 /* of its name, at most */

/* Reset by log_start(); else changed by whoever has a line. */
static struct {
	uint32_t per_minute; /* 0: no log */
	/* Bits 32 to 63 a minute, bits 0 to 31 the lines in it. */
	uint64_t used;
	uint64_t suppressed; /* since the last line */
} limit;

void log_start(uint32_t per_minute)
{
	store_relaxed(&limit.used, 0);
	store_relaxed(&limit.suppressed, 0);
	store_relaxed(&limit.per_minute, per_minute);
}

/* Is this line one of those that the minute may have? */
static bool is_within_limit(uint64_t lived_ns)
{
	uint64_t minute = lived_ns / NS_PER_MINUTE << 32;
	uint64_t seen = load_relaxed(&limit.used), next;

	do {
		next = (seen < minute ? minute : seen) + 1;
		if ((uint32_t)next > load_relaxed(&limit.per_minute))
			return false;
		/* No partner: nothing else is guarded by it. */
	} while (!cas_acq_rel(&limit.used, &seen, next));
	return true;
}

/* A line must go out by one write: what is more than the pen holds is cut. */
struct line {
	bool is_written;
	int error;
};

static void line_write(void *ctx, const char *bytes, size_t length)
{
	struct line *line = ctx;

	if (!line->is_written)
		line->error = log_door_write(bytes, length);
	line->is_written = true;
}

static void say_thread(struct pen *pen, const char *name, int tid)
{
	pen_name(pen, name, NAME_BYTES);
	pen_number(pen, " (", (uint64_t)tid, ")");
}

static void begin_line(struct pen *pen)
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

/* The record of the lock it waited for, if that has not become another's. */
static const struct lock_record *lock_of(const struct recording *rec,
					 const struct event_record *event)
{
	const struct lock_record *lock = live_records(rec, SECTION_LOCKS);

	lock += event->lock_index;
	return event->lock && lock->address == event->lock ? lock : NULL;
}

/* "app+0x40c0", or "0x7ffd0c0b3e0a0 on a stack" */
static void say_place(struct pen *pen, const struct recording *rec,
		      const struct lock_record *lock)
{
	const struct module_record *module = module_of(rec, lock->place);

	if (module) {
		pen_word(pen, program_name_of(module), OBJECT_BYTES);
		pen_text(pen, "+");
	}
	pen_text(pen, "0x");
	pen_hex(pen, module ? FRAME_OFFSET(lock->place) : lock->address, 1);
	if (lock->place == PLACE_STACK)
		pen_text(pen, " on a stack");
}

/* The name comes by itself, where the thread that is meant has ended. */
static void say_somebody(struct pen *pen, const char *role, const char *name,
			 int tid)
{
	pen_text(pen, role);
	if (*name)
		say_thread(pen, name, tid);
	else
		pen_number(pen, "thread ", (uint64_t)tid, "");
}

/* "waiting for mutex app+0x40c0, held by worker1 (4712)" */
static void say_wait(struct pen *pen, const struct recording *rec,
		     const struct event_record *event, enum cause cause)
{
	const struct lock_record *lock = lock_of(rec, event);

	if (lock && lock->kind == LOCK_JOIN && *event->holder_name) {
		pen_text(pen, "waiting for thread ");
		say_thread(pen, event->holder_name, event->holder);
		pen_text(pen, " to end");
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
	else if (cause == CAUSE_LOCK && event->holder)
		say_somebody(pen, ", held by ", event->holder_name,
			     event->holder);
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
	if (cause == CAUSE_BLOCKED && *blocking_call_name(event->call)) {
		pen_text(pen, " in ");
		pen_text(pen, blocking_call_name(event->call));
	}
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
		if (module) {
			pen_word(pen, program_name_of(module), OBJECT_BYTES);
			pen_text(pen, "+");
		}
		pen_text(pen, "0x");
		pen_hex(pen, FRAME_OFFSET(frame) - 1, 1);
	}
}

static const char *const run_words[RUN_STATES] = {
	[RUN_LASTS] = " is stalled, for ",
	[RUN_CAME_BACK] = " stalled for ",
	[RUN_LEFT] = " left its loop (no stall), and ran for ",
};

static void say_stall(struct pen *pen, const struct recording *rec,
		      const struct event_record *event)
{
	begin_line(pen);
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

/* One line, with what was suppressed before it. event NULL: nothing else. */
static void write_line(const struct recording *rec,
		       const struct event_record *event)
{
	const kernel_sigset quiet = QUIET_MASK;
	struct line line = { .error = 0 };
	const struct text_out out = { line_write, &line };
	struct pen pen = pen_for(&out);
	kernel_sigset mask;
	uint64_t suppressed;

	/* A handler of the host must not leave us in the middle of it. */
	sys_sigprocmask(SIG_SETMASK, &quiet, &mask);
	suppressed = exchange_acq_rel(&limit.suppressed, 0);
	if (event)
		say_stall(&pen, rec, event);
	else
		begin_line(&pen);
	if (suppressed)
		pen_number(&pen, event ? "; suppressed " : ": suppressed ",
			   suppressed, "");
	pen_flush(&pen);
	sys_sigprocmask(SIG_SETMASK, &mask, NULL);
	if (line.error) {
		live_count_lost(LOST_LOG);
		add_relaxed(&limit.suppressed, suppressed);
	}
}

/* Does it have a line now? */
static bool is_due(struct thread *self)
{
	const struct event_record *event = &self->event;
	uint64_t next_ns;

	if (event->state != RUN_LASTS)
		return true;
	next_ns = max_u64(self->log_next_ns, FIRST_NS);
	if (event->duration_ns < next_ns)
		return false;
	/* A tick that is late puts off none of the next lines. */
	while (next_ns <= event->duration_ns && next_ns <= INT64_MAX)
		next_ns *= 2;
	self->log_next_ns = next_ns;
	return true;
}

void log_stall(struct thread *self)
{
	struct recording *rec = self->recording;
	uint64_t until_ns = self->event.begun_ns + self->event.duration_ns;

	if (likely(!load_relaxed(&limit.per_minute)) || !is_due(self))
		return;
	if (is_within_limit(until_ns -
			    min_u64(live_header.start_ns, until_ns))) {
		write_line(rec, &self->event);
	} else {
		add_relaxed(&limit.suppressed, 1);
		add_relaxed(&rec->lost[LOST_LOG_LIMIT], 1);
	}
}

void log_end(const struct recording *rec)
{
	if (load_relaxed(&limit.suppressed))
		write_line(rec, NULL);
}
