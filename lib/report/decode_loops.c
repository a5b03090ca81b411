/*
 * Decoding of loops and of their stalls in order of time.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "base/loops.h"
#include "base/timeline.h"
#include "report/decoder.h"

/* How long it waited and ran, up to now or to the thread's end. */
static void decode_times(struct decoder *d, struct loop *loop,
			 const struct thread_record *record)
{
	bool has_ended = record->state == THREAD_ENDED;
	uint64_t running_ns = 0;

	if (!has_ended && record->run_begun_ns)
		running_ns = time_since(record->run_begun_ns, d->now_ns);
	loop->watched_ns = thread_watched_ns(record, d->now_ns);
	loop->busy_ns = record->busy_ns + running_ns;
	loop->longest_ns = max_u64(record->longest_run_ns, running_ns);
}

/*
 * Is the thread in a call that may be why it does not come back? Of a process
 * that was killed nobody knows how long it was.
 */
static bool is_stuck(struct decoder *d, const struct thread_record *record)
{
	bool was_killed = d->rec->end == END_RUNNING && !d->process->is_running;

	return record->state == THREAD_LIVE && record->run_begun_ns &&
	       record->blocked_call != CALL_NONE &&
	       (was_killed || thread_unfinished_ns(d->rec, record, d->now_ns));
}

static void decode_loop(struct decoder *d, struct loop *loop,
			const struct thread_record *record)
{
	loop->name = decode_name(d, record->name);
	loop->tid = record->tid;
	loop->is_loop = thread_is_loop(record);
	loop->wait_call = blocking_call_name(record->wait_call);
	loop->turns = record->waits;
	loop->events = record->events;
	loop->lengths = run_lengths_of(d->rec, record);
	loop->threshold_ns = record->stall_ns;
	loop->stalls = thread_stalls(record);
	loop->stalled_ns = thread_stalled_ns(record);
	loop->left = record->left;
	loop->left_ns = record->left_ns;
	loop->unseen = record->unseen;
	loop->unfinished_ns = thread_unfinished_ns(d->rec, record, d->now_ns);
	loop->stuck_in = "";
	if (is_stuck(d, record)) {
		loop->stuck_in = blocking_call_name(record->blocked_call);
		loop->stuck_ns = time_since(record->blocked_ns, d->now_ns);
		loop->stuck_stack = decode_stack(d, record->blocked_stack);
	}
	decode_times(d, loop, record);
}

void decode_loops(struct decoder *d)
{
	const struct thread_record *record =
		section_records(d->rec, SECTION_THREADS);
	struct process *process = d->process;
	size_t n = d->rec->section[SECTION_THREADS].capacity;

	memcpy(process->cause_ns, loops_of(d->rec, d->now_ns).cause_ns,
	       sizeof(process->cause_ns));
	process->loops = decode_alloc(d, n, sizeof(struct loop));
	for (size_t i = 0; i < n; i++) {
		if (thread_is_loop(&record[i]) || is_stuck(d, &record[i]) ||
		    thread_unfinished_ns(d->rec, &record[i], d->now_ns))
			decode_loop(d, &process->loops[process->loops_count++],
				    &record[i]);
	}
}

static int by_time(const void *a, const void *b)
{
	const struct stall *left = a;
	const struct stall *right = b;

	return (left->begun_ns > right->begun_ns) -
	       (left->begun_ns < right->begun_ns);
}

/* The lock of an event, if its record is still that lock's. */
static struct lock *decode_lock(struct decoder *d,
				const struct event_record *record)
{
	struct lock *lock = record->lock ? d->lock[record->lock_index] : NULL;

	return lock && lock->address == record->lock ? lock : NULL;
}

static void decode_holder(struct decoder *d, struct stall *stall,
			  const struct event_record *record)
{
	stall->holder = record->release ? record->releaser : record->holder;
	stall->holder_name =
		decode_name(d, record->release ? record->releaser_name
					       : record->holder_name);
}

static void decode_stall(struct decoder *d, const struct event_record *record)
{
	struct process *process = d->process;
	struct stall *stall = &process->stalls[process->stalls_count++];

	*stall = (struct stall){
		.begun_ns = time_since(d->rec->start_ns, record->begun_ns),
		.duration_ns = record->duration_ns,
		.thread = decode_name(d, record->name),
		.tid = record->tid,
		.ticks = record->ticks,
		.call = decode_call(d, record->call),
		.lock = decode_lock(d, record),
		.cpu_ns = record->cpu_ns,
		.late_ns = record->late_ns,
		.voluntary = record->voluntary,
		.involuntary = record->involuntary,
		.minor_faults = record->minor_faults,
		.major_faults = record->major_faults,
		.release = decode_stack(d, record->release),
		.state = record->state,
		.stack = decode_stack(d, record->stack),
		.apart = decode_stack(d, record->apart),
	};
	decode_holder(d, stall, record);
	memcpy(stall->cause_ns, record->cause_ns, sizeof(stall->cause_ns));
}

void decode_stalls(struct decoder *d)
{
	const struct event_record *late =
		section_records(d->rec, SECTION_EVENTS);
	const struct longest_record *longest =
		section_records(d->rec, SECTION_LONGEST);
	struct process *process = d->process;
	uint32_t lates = d->rec->section[SECTION_EVENTS].capacity;
	uint32_t n = d->rec->section[SECTION_LONGEST].capacity;

	process->stalls =
		decode_alloc(d, (size_t)lates + n, sizeof(struct stall));
	for (uint32_t i = 0; i < lates; i++) {
		if (late[i].begun_ns)
			decode_stall(d, &late[i]);
	}
	for (uint32_t i = 0; i < n; i++) {
		if (timeline_is_only(d->rec, i))
			decode_stall(d, &longest[i].event);
	}
	qsort(process->stalls, process->stalls_count, sizeof(struct stall),
	      by_time);
}
