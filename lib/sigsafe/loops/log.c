/*
 * The log of stalls.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/loops/log.h"

#include <signal.h>

#include "base/atomic.h"
#include "base/pen.h"
#include "sigsafe/live.h"
#include "sigsafe/loops/log_door.h"
#include "sigsafe/loops/log_line.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/record/events.h"
#include "sigsafe/signals/quiet.h"

#define NS_PER_MINUTE (60 * NS_PER_S)
#define FIRST_NS      NS_PER_S /* a stall that goes on is told from here on */

/* Reset by log_start(); else changed by whoever has a line. */
static struct {
	uint32_t per_minute; /* 0: no log */
	/* Bits 32 to 63 a minute, bits 0 to 31 the lines in it. */
	uint64_t used;
	uint64_t suppressed; /* since the last line */
} limit;

/* When an exec last failed, or an abort: what lasted then has been told. */
static uint64_t told_ns;

void log_start(uint32_t per_minute)
{
	store_relaxed(&limit.used, 0);
	store_relaxed(&limit.suppressed, 0);
	store_relaxed(&told_ns, 0);
	store_relaxed(&limit.per_minute, per_minute);
}

bool log_is_kept(void)
{
	return load_relaxed(&limit.per_minute);
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

/*
 * A line must go out by one write: what is more than the pen holds is cut,
 * which dots tell.
 */
struct line {
	bool is_at_its_end;
	bool is_written;
	bool is_cut;
	int error;
};

static void line_write(void *ctx, const char *bytes, size_t length)
{
	struct line *line = ctx;

	if (!line->is_written)
		line->error =
			log_door_write(bytes, length, line->is_at_its_end);
	line->is_cut |= !line->is_at_its_end;
	line->is_written = true;
}

/* One line, with what was suppressed before it. event NULL: nothing else. */
static void write_line(const struct recording *rec,
		       const struct event_record *event)
{
	struct line line = { .error = 0 };
	const struct text_out out = { line_write, &line };
	struct pen pen = pen_for(&out);
	struct quiet before;
	uint64_t suppressed;

	/* A handler of the host must not leave us in the middle of it. */
	before = quiet_begin();
	suppressed = exchange_acq_rel(&limit.suppressed, 0);
	if (event)
		log_line_stall(&pen, rec, event);
	else
		log_line_begin(&pen);
	if (suppressed)
		pen_number(&pen, event ? "; suppressed " : ": suppressed ",
			   suppressed, "");
	line.is_at_its_end = true;
	pen_flush(&pen);
	quiet_end(&before);
	if (line.error)
		live_count_lost(LOST_LOG);
	/* The next line tells it, as it stands at the end. */
	if (line.error || line.is_cut)
		add_relaxed(&limit.suppressed, suppressed);
}

/* Does it have a line now? */
static bool is_due(struct thread *self)
{
	const struct event_record *event = &self->loop->event;
	uint64_t next_ns;

	if (event->state != RUN_LASTS)
		return true;
	next_ns = max_u64(self->loop->log_next_ns, FIRST_NS);
	if (event->duration_ns < next_ns)
		return false;
	/* A tick that is late puts off none of the next lines. */
	while (next_ns <= event->duration_ns && next_ns <= INT64_MAX)
		next_ns *= 2;
	self->loop->log_next_ns = next_ns;
	return true;
}

static void tell(const struct recording *rec, const struct event_record *event)
{
	uint64_t until_ns = event->begun_ns + event->duration_ns;

	if (is_within_limit(until_ns -
			    min_u64(live_header.start_ns, until_ns))) {
		write_line(rec, event);
	} else {
		add_relaxed(&limit.suppressed, 1);
		live_count_lost(LOST_LOG_LIMIT);
	}
}

void log_stall(struct thread *self)
{
	if (unlikely(log_is_kept()) && is_due(self))
		tell(self->recording, &self->loop->event);
}

/* Has an end told it that was none? Relaxed: who ends the program does so. */
static bool was_told(const struct event_record *event,
		     const struct thread_record *thread)
{
	return event->begun_ns + load_relaxed(&thread->stall_ns) <=
	       load_relaxed(&told_ns);
}

/* may_go_on: it may not be the end after all. */
static void tell_lasting(const struct recording *rec, uint64_t now_ns,
			 bool may_go_on)
{
	const struct thread_record *thread = live_records(rec, SECTION_THREADS);

	for (uint32_t n = live_capacity(SECTION_THREADS); n; n--, thread++) {
		struct event_record event = event_lasting(rec, thread, now_ns);

		if (event.begun_ns && !(may_go_on && was_told(&event, thread)))
			tell(rec, &event);
	}
	if (may_go_on)
		store_relaxed(&told_ns, now_ns);
}

void log_abort(const struct recording *rec)
{
	if (log_is_kept())
		tell_lasting(rec, clock_now_ns(), true);
}

void log_end(const struct recording *rec, bool is_exec)
{
	if (!log_is_kept())
		return;
	/* Who has waited for events has a record there. */
	if (load_relaxed(&rec->section[SECTION_THREADS].used))
		tell_lasting(rec, load_relaxed(&rec->end_ns), is_exec);
	if (load_relaxed(&limit.suppressed))
		write_line(rec, NULL);
}
