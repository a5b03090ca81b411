/*
 * Decoding of loops and of their stalls in order of time.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "base/lasting.h"
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
	struct thread_stalls stalls = thread_stalls(d->rec, record, d->now_ns);

	loop->name = decode_name(d, record->name);
	loop->tid = record->tid;
	loop->is_loop = thread_is_loop(record);
	loop->wait_call = blocking_call_name(record->wait_call);
	loop->turns = record->waits;
	loop->events = record->events;
	loop->lengths = run_lengths_of(d->rec, record);
	loop->threshold_ns = record->stall_ns;
	loop->stalls = stalls.count;
	loop->stalled_ns = stalls.ns;
	loop->nested = record->nested;
	loop->nested_most = record->nested_most;
	loop->nested_call = blocking_call_name(record->nested_call);
	loop->nested_stack = decode_stack(d, record->nested_stack);
	loop->left = record->left;
	loop->left_ns = record->left_ns;
	loop->unseen = stalls.unseen;
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

static struct loop *find_loop(struct process *process, int tid)
{
	for (size_t i = 0; i < process->loops_count; i++) {
		if (process->loops[i].tid == tid)
			return &process->loops[i];
	}
	return NULL;
}

static void decode_stall(struct decoder *d, struct stall *stall,
			 const struct event_record *record)
{
	*stall = (struct stall){
		.begun_ns = time_since(d->rec->start_ns, record->begun_ns),
		.duration_ns = record->duration_ns,
		.thread = decode_name(d, record->name),
		.tid = record->tid,
		.ticks = record->ticks,
		.events = record->events,
		.call = decode_call(d, record->call),
		.has_other_calls = event_has_other_calls(record),
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
		.latest = decode_stack(d, record->latest),
	};
	decode_holder(d, stall, record);
	memcpy(stall->cause_ns, record->cause_ns, sizeof(stall->cause_ns));
}

static struct stall *add_stall(struct decoder *d,
			       const struct event_record *record)
{
	struct stall *stall = &d->process->stalls[d->process->stalls_count++];

	decode_stall(d, stall, record);
	return stall;
}

/* A run that left its loop is no stall: where it was is told with the loop. */
static void decode_left(struct decoder *d, const struct event_record *record)
{
	struct loop *loop = find_loop(d->process, record->tid);

	if (!loop || !record->stack)
		return;
	loop->left_last = decode_alloc(d, 1, sizeof(*loop->left_last));
	decode_stall(d, loop->left_last, record);
}

static void decode_event(struct decoder *d, const struct event_record *record)
{
	if (record->state == RUN_LEFT)
		decode_left(d, record);
	else
		add_stall(d, record);
}

/* The thread's stall that lasts, if it is in the timeline. */
static struct stall *find_lasting(struct decoder *d,
				  const struct thread_record *thread)
{
	uint64_t begun_ns = time_since(d->rec->start_ns, thread->run_begun_ns);

	for (size_t i = 0; i < d->process->stalls_count; i++) {
		struct stall *stall = &d->process->stalls[i];

		if (stall->tid == thread->tid && stall->begun_ns == begun_ns)
			return stall;
	}
	return NULL;
}

/*
 * One without a tick yet, or that has left the timeline. The stack of a call
 * that is over is no stack of it.
 */
static struct stall *add_lasting(struct decoder *d,
				 const struct thread_record *thread,
				 const struct lasting *lasting)
{
	const struct event_record event = {
		.begun_ns = thread->run_begun_ns,
		.tid = thread->tid,
		.state = RUN_LASTS,
		.stack = lasting->rest_ns ? thread->blocked_stack : 0,
	};
	struct stall *stall = add_stall(d, &event);

	stall->thread = decode_name(d, thread->name);
	return stall;
}

/* The call that it is blocked in goes on until now. */
static void extend_lasting(struct decoder *d,
			   const struct thread_record *thread)
{
	struct lasting lasting = lasting_of(d->rec, thread, d->now_ns);
	struct stall *stall;

	if (!lasting.ns)
		return;
	stall = find_lasting(d, thread);
	if (!stall)
		stall = add_lasting(d, thread, &lasting);
	stall->duration_ns = lasting.ns;
	stall->cause_ns[CAUSE_BLOCKED] += lasting.rest_ns;
	if (lasting.rest_ns)
		stall->latest = decode_stack(d, thread->blocked_stack);
	if (lasting.rest_ns <= lasting.ns / 2)
		return;
	stall->call = decode_call(d, thread->blocked_call);
	stall->has_other_calls = false;
	stall->stack = stall->latest;
	stall->apart = NULL;
}

void decode_stalls(struct decoder *d)
{
	const struct event_record *late =
		section_records(d->rec, SECTION_EVENTS);
	const struct longest_record *longest =
		section_records(d->rec, SECTION_LONGEST);
	const struct thread_record *thread =
		section_records(d->rec, SECTION_THREADS);
	struct process *process = d->process;
	uint32_t threads = d->rec->section[SECTION_THREADS].capacity;
	uint32_t lates = d->rec->section[SECTION_EVENTS].capacity;
	uint32_t n = d->rec->section[SECTION_LONGEST].capacity;

	process->stalls = decode_alloc(d, (size_t)lates + n + threads,
				       sizeof(struct stall));
	for (uint32_t i = 0; i < lates; i++) {
		if (late[i].begun_ns)
			decode_event(d, &late[i]);
	}
	for (uint32_t i = 0; i < n; i++) {
		if (timeline_is_only(d->rec, i))
			decode_event(d, &longest[i].event);
	}
	for (uint32_t i = 0; i < threads; i++)
		extend_lasting(d, &thread[i]);
	qsort(process->stalls, process->stalls_count, sizeof(struct stall),
	      by_time);
}
