/*
 * The evidence.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/loops/evidence.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/atomic.h"
#include "sigsafe/loops/run.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/system_calls.h"
#include "sigsafe/thread.h"

/* Everything of the slice but its end: the wait for a lock goes on. */
static void clear(struct slice *slice)
{
	slice->cpu_ns = 0;
	slice->late_ns = 0;
	slice->awake_ns = 0;
	slice->blocked_ns = slice->longest_call_ns = 0;
	slice->longest_call = 0;
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		store_relaxed(&slice->wait_ns[i], 0);
	lock_costs_clear(&slice->waits);
}

/*
 * What is left of former runs is not of this one. A run that has just ended is
 * none any more, but its last slice is still to be taken.
 */
static void enter_run(struct thread *self)
{
	struct slice *slice = &self->loop->slice;

	if (!self->run_begun_ns || slice->run_ns == self->run_begun_ns)
		return;
	clear(slice);
	slice->run_ns = self->run_begun_ns;
	slice->state = CALL_OUTSIDE;
	slice->call = slice->asleep_in = slice->own_call = CALL_NONE;
}

void evidence_begin(struct thread *self)
{
	struct slice *slice = &self->loop->slice;
	struct usage before = slice->base;

	if (before.at_ns >= self->run_begun_ns)
		return;
	enter_run(self);
	slice->base = usage_read(self);
	if (before.at_ns)
		slice->cpu_ns = min_u64(slice->base.cpu_ns - before.cpu_ns,
					slice->base.at_ns - slice->run_ns);
}

uint32_t evidence_call(long number)
{
	static const struct {
		long number;
		uint32_t call;
	} named[] = {
#define X(system, call) { system, call },
		SYSTEM_CALLS(X) SYSTEM_CALLS_OLD(X)
#undef X
	};

	for (size_t i = 0; i < ARRAY_SIZE(named); i++) {
		if (named[i].number == number)
			return named[i].call;
	}
	if (number < 0 || number >= (long)CALL_UNNAMED_LIMIT)
		return CALL_NONE;
	return CALL_SYSTEM(number);
}

/*
 * Of a file, or unknown? The kernel is asked for nothing that it would have to
 * fetch, as from a server.
 */
static bool is_of_disk(const ucontext_t *interrupted)
{
	struct stat file;

	return sys4(SYS_newfstatat, context_first_argument(interrupted), "",
		    &file, AT_EMPTY_PATH | AT_STATX_DONT_SYNC) ||
	       S_ISREG(file.st_mode) || S_ISBLK(file.st_mode);
}

/* Looked at where that tells how long it slept. */
static bool may_be_of_disk(const struct slice *slice, const ucontext_t *at)
{
	return slice->state == CALL_RETURNED && slice->call >= CALL_READ &&
	       slice->call <= CALL_WRITEV && is_of_disk(at);
}

/*
 * Which call a tick that is late by so much has come in, or behind. As libc
 * starts a program it blocks every signal until that runs: where it lets them
 * come again it is not known what has held the tick up.
 */
static uint32_t call_at(const struct thread *self, long number,
			uint64_t late_ns)
{
	if (number == SYS_futex && self->futex_call)
		return self->futex_call;
	if (number == SYS_rt_sigprocmask && late_ns > NS_PER_MS)
		return CALL_NONE;
	return evidence_call(number);
}

/* Which the tick has interrupted it in. */
static uint32_t interrupted_call(const struct slice *slice)
{
	return slice->state == CALL_INTERRUPTED ? slice->call : CALL_NONE;
}

void evidence_tick(struct thread *self, const ucontext_t *interrupted,
		   uint64_t late_ns)
{
	struct slice *slice = &self->loop->slice;
	long number = -1;

	enter_run(self);
	slice->late_ns = late_ns;
	slice->state = context_call(interrupted, &number);
	slice->call = call_at(self, number, late_ns);
	slice->own_call = interrupted_call(slice);
	slice->is_of_disk = may_be_of_disk(slice, interrupted);
}

static void note_awake(struct slice *slice, uint64_t at_ns)
{
	if (!slice->awake_ns)
		slice->awake_ns = at_ns;
}

void evidence_blocked(struct thread *self, uint32_t call, uint64_t since_ns,
		      uint64_t now_ns)
{
	struct slice *slice = &self->loop->slice;
	uint64_t ns = now_ns - since_ns;

	enter_run(self);
	/* Of a run that is provisional the slice goes on behind its tick. */
	if (slice->state == CALL_INTERRUPTED)
		slice->asleep_in = slice->call;
	note_awake(slice, since_ns);
	slice->state = CALL_OUTSIDE;
	slice->blocked_ns += ns;
	if (ns < slice->longest_call_ns)
		return;
	slice->longest_call_ns = ns;
	slice->longest_call = call;
}

void evidence_lock_begin(struct lock_record *lock, uint64_t now_ns,
			 int32_t holder)
{
	struct thread *self = &thread_self;

	self->lock_since_ns = now_ns;
	self->joined = lock->kind == LOCK_JOIN ? holder : 0;
	/* Last: from here on a tick finds the thread in its wait. */
	self->lock = lock;
}

static void add_wait(struct thread *self, const struct lock_record *lock,
		     int32_t holder, uint64_t since_ns, uint64_t now_ns)
{
	struct slice *slice = &self->loop->slice;
	uint64_t ns = now_ns - since_ns;
	const struct held_lock held = {
		.address = lock->address,
		.kind = lock->kind,
		.holder = lock->kind == LOCK_JOIN ? self->joined : holder,
	};

	note_awake(slice, since_ns);
	/* One step: a tick may come at any moment, and take it. */
	add_relaxed(&slice->wait_ns[cause_of_wait(lock->kind)], ns);
	lock_costs_add(&slice->waits, held, ns);
}

void evidence_lock_end(struct lock_record *lock, uint64_t since_ns,
		       uint64_t now_ns)
{
	struct thread *self = &thread_self;

	if (!self->run_begun_ns || !is_enrolled(self)) {
		self->lock = NULL;
		return;
	}
	enter_run(self);
	since_ns = max_u64(since_ns, self->shared_ns);
	/* Not before: a tick up to here finds the thread in its wait. */
	self->lock = NULL;
	if (now_ns > since_ns)
		add_wait(self, lock, load_relaxed(&lock->last_charged),
			 since_ns, now_ns);
}

/* A wait for a lock that goes on is part of the slice up to now. */
static void add_open_wait(struct thread *self, uint64_t now_ns)
{
	struct lock_record *lock = self->lock;
	uint64_t since_ns = max_u64(self->lock_since_ns, self->shared_ns);

	if (lock && now_ns > since_ns)
		add_wait(self, lock, load_relaxed(&lock->holder), since_ns,
			 now_ns);
}

/* Waits for events before the run have slept as well, once each at most. */
static uint32_t slept_in_run(const struct usage *from, const struct usage *to)
{
	uint32_t slept = to->voluntary - from->voluntary;
	uint64_t waits = to->waits - from->waits;

	return slept > waits ? slept - (uint32_t)waits : 0;
}

void evidence_pause(struct thread *self)
{
	self->loop->slice.paused = usage_read(self);
}

void evidence_resume(struct thread *self)
{
	struct slice *slice = &self->loop->slice;
	struct usage now;

	/* A tick came in this pause, and has ended it. */
	if (!slice->paused.at_ns)
		return;
	now = usage_count();
	slice->base.voluntary += now.voluntary - slice->paused.voluntary;
	slice->base.involuntary += now.involuntary - slice->paused.involuntary;
	slice->base.minor_faults +=
		now.minor_faults - slice->paused.minor_faults;
	slice->base.major_faults +=
		now.major_faults - slice->paused.major_faults;
	slice->paused.at_ns = 0;
}

/* How long it may have been, from the slice's beginning on. */
static uint64_t asleep_ns(const struct thread *self, uint64_t now_ns)
{
	const struct slice *slice = &self->loop->slice;
	uint64_t end_ns = slice->awake_ns ? slice->awake_ns : now_ns;

	return slice->asleep_in ? end_ns - min_u64(self->shared_ns, end_ns) : 0;
}

struct slice_end evidence_take(struct thread *self, uint64_t now_ns)
{
	struct slice *slice = &self->loop->slice;
	struct usage base = slice->base;
	struct usage now =
		slice->paused.at_ns ? slice->paused : usage_read(self);
	uint64_t wall_ns = now_ns - self->shared_ns;
	struct slice_end end;

	add_open_wait(self, now_ns);
	end = (struct slice_end){
		.evidence = {
			.wall_ns = wall_ns,
			.cpu_ns = min_u64(slice->cpu_ns + now.cpu_ns -
						  base.cpu_ns,
					  wall_ns),
			.blocked_ns = slice->blocked_ns,
			.asleep_ns = asleep_ns(self, now_ns),
			.late_ns = slice->late_ns,
			.voluntary = slept_in_run(&base, &now),
			.involuntary = now.involuntary - base.involuntary,
			.minor_faults = now.minor_faults - base.minor_faults,
			.major_faults = now.major_faults - base.major_faults,
			.state = slice->state,
			.call = slice->call,
			.is_of_disk = slice->is_of_disk,
		},
		.own_call = slice->own_call,
		.longest_call = slice->longest_call,
		.other_call = slice->state == CALL_OUTSIDE ? slice->asleep_in
							   : slice->call,
		.waits = slice->waits,
	};
	memcpy(end.evidence.wait_ns, slice->wait_ns, sizeof(slice->wait_ns));
	clear(slice);
	slice->asleep_in = interrupted_call(slice);
	slice->base = now;
	return end;
}
