/*
 * Turns at an epoll descriptor: who else is there.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/loops/turns.h"

#include "base/atomic.h"
#include "sigsafe/live.h"
#include "sigsafe/loops/park_places.h"

/* What has waited for events so lately is a loop that takes turns. */
#define LATE_RUN_NS NS_PER_S

/* Descriptors without a seat are kept where the places to park are. */
#define NO_SEAT_SALT UINT64_C(0x9e3779b97f4a7c15)

typedef bool way_to_be_there(const struct thread_record *record, int32_t epoll,
			     uint64_t since_ns);

static bool is_of(const struct thread_record *record, int32_t epoll)
{
	int32_t place = load_relaxed(&record->epoll);

	return place == epoll + 1 || place == -(epoll + 1);
}

/* Has it waited there after since_ns? What waited once is no loop yet. */
static bool is_late_at(const struct thread_record *record, uint64_t since_ns)
{
	uint64_t until_ns = load_relaxed(&record->latest_ns);

	if (load_relaxed(&record->waits) > 1)
		until_ns += LATE_RUN_NS;
	return until_ns >= since_ns;
}

/*
 * Does the thread wait at the descriptor, or has it of late: after since_ns, or
 * not long before? It may be in a run, or parked and woken, and not let run.
 */
static bool is_at(const struct thread_record *record, int32_t epoll,
		  uint64_t since_ns)
{
	return load_acquire(&record->state) == THREAD_LIVE &&
	       is_of(record, epoll) &&
	       (is_late_at(record, since_ns) ||
		(load_relaxed(&record->epoll) == epoll + 1 &&
		 !load_relaxed(&record->run_begun_ns)));
}

/* Or did, and has ended since? */
static bool has_been_at(const struct thread_record *record, int32_t epoll,
			uint64_t since_ns)
{
	return load_acquire(&record->state) == THREAD_ENDED &&
	       is_of(record, epoll) && is_late_at(record, since_ns);
}

/* The run first: it ends after the thread has left the seat to park. */
static bool is_waiting_at(const struct thread_record *record, int32_t epoll,
			  uint64_t unused)
{
	(void)unused;
	return load_acquire(&record->state) == THREAD_LIVE &&
	       !load_acquire(&record->run_begun_ns) &&
	       load_relaxed(&record->epoll) == epoll + 1;
}

/* Another thread that is there; or NULL. */
static cold struct thread_record *
find(const struct thread *self, way_to_be_there *is_there, uint64_t since_ns)
{
	const struct recording *rec = self->recording;
	struct thread_record *record = live_records(rec, SECTION_THREADS);
	uint32_t n = (uint32_t)min_u64(
		load_relaxed(&rec->section[SECTION_THREADS].used),
		live_capacity(SECTION_THREADS));

	for (; n; n--, record++) {
		if (record != self->record &&
		    is_there(record, self->seat.epoll, since_ns))
			return record;
	}
	return NULL;
}

/* The one that did the last time is asked first. */
cold bool turns_are_taken(struct thread *self, uint64_t since_ns)
{
	struct thread_record *other;

	if (self->seat.epoll == SEAT_POLLS)
		return false;
	if (self->loop->other &&
	    is_at(self->loop->other, self->seat.epoll, since_ns))
		return true;
	other = find(self, is_at, since_ns);
	if (other)
		self->loop->other = other;
	return other;
}

cold bool turns_were_taken(struct thread *self, uint64_t since_ns)
{
	return turns_are_taken(self, since_ns) ||
	       (self->seat.epoll != SEAT_POLLS &&
		find(self, has_been_at, since_ns));
}

static uint64_t no_seat_hash(const struct thread *self)
{
	return NO_SEAT_SALT ^ (uint32_t)self->seat.epoll;
}

cold void turns_look(struct thread *self)
{
	if (self->seat.epoll != SEAT_POLLS && find(self, is_waiting_at, 0))
		park_places_enter(no_seat_hash(self), TEACHER_SEVERAL);
}

bool turns_have_seat(const struct thread *self)
{
	return park_places_teacher(no_seat_hash(self)) == TEACHER_NOBODY;
}
