/*
 * Sleepers: a place for each thread that ever slept on a condition variable, in
 * lists by condition variable.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/locks/sleepers.h"

#include <string.h>

#include "sigsafe/live.h"
#include "sigsafe/thread.h"

#define MAX_SLEEPERS 4096
#define MAX_SPINS    2000

enum state {
	SLEEPER_OUT,
	SLEEPER_ASLEEP,
	SLEEPER_WOKEN /* its wait has begun */
};

struct sleeper {
	/* Guarded by the bucket's lock while the sleeper is in its list. */
	struct sleeper *next, *previous;
	enum state state;
	struct lock_wait wait; /* once woken */

	/* Written by its own thread before it enters the list. */
	const void *cond;
	const void *caller;
	struct lock lock;
	const struct thread_identity *who;

	uint32_t claimed;
};

/* Longest asleep first. */
struct bucket {
	uint32_t locked;
	struct sleeper *first, *last;
};

static struct sleeper places[MAX_SLEEPERS];
static struct bucket buckets[SLEEPER_BUCKETS];
uint32_t sleepers_count[SLEEPER_BUCKETS];

static struct bucket *bucket_of(const void *cond)
{
	return &buckets[hash_slot((uintptr_t)cond, SLEEPER_BUCKETS)];
}

static uint32_t *count_of(const void *cond)
{
	return &sleepers_count[hash_slot((uintptr_t)cond, SLEEPER_BUCKETS)];
}

/* Guards one bucket's list and the states in it. A leaf: nothing nests. */
static bool try_lock(struct bucket *bucket)
{
	for (int spin = 0; spin < MAX_SPINS; spin++) {
		/* Acquire pairs with unlock(). */
		if (!load_relaxed(&bucket->locked) &&
		    !exchange_acq_rel(&bucket->locked, 1))
			return true;
		machine_relax();
	}
	live_count_lost(LOST_SLEEPER);
	return false;
}

static void unlock(struct bucket *bucket)
{
	store_release(&bucket->locked, 0);
}

static void append(struct bucket *bucket, struct sleeper *s)
{
	s->next = NULL;
	s->previous = bucket->last;
	if (bucket->last)
		bucket->last->next = s;
	else
		bucket->first = s;
	bucket->last = s;
}

static void unlink_from(struct bucket *bucket, struct sleeper *s)
{
	if (s->previous)
		s->previous->next = s->next;
	else
		bucket->first = s->next;
	if (s->next)
		s->next->previous = s->previous;
	else
		bucket->last = s->previous;
}

static struct sleeper *find(struct bucket *bucket, const void *cond,
			    enum state state)
{
	struct sleeper *s = bucket->first;

	while (s && (s->cond != cond || s->state != state))
		s = s->next;
	return s;
}

/*
 * The calling thread's place, for its life; NULL: that is over, or there are
 * too many.
 */
static struct sleeper *own_place(void)
{
	uint32_t tid = (uint32_t)thread_identify()->tid;
	uint32_t slot = hash_slot(tid, MAX_SLEEPERS);

	if (likely(thread_self.sleeper))
		return thread_self.sleeper;
	for (uint32_t probe = 0;
	     probe < MAX_SLEEPERS && !thread_is_over(&thread_self); probe++) {
		struct sleeper *s = &places[(slot + probe) % MAX_SLEEPERS];
		uint32_t no = 0;

		/* Acquire pairs with the release in sleeper_forget(). */
		if (!load_relaxed(&s->claimed) &&
		    cas_acq_rel(&s->claimed, &no, 1)) {
			thread_self.sleeper = s;
			pthread_setspecific(thread_key, &thread_self);
			return s;
		}
	}
	live_count_lost(LOST_SLEEPER);
	return NULL;
}

/* The wake-up that `from` bears was meant for `to`. */
static void hand_on(struct sleeper *from, struct sleeper *to)
{
	to->wait = from->wait;
	to->state = SLEEPER_WOKEN;
	from->state = SLEEPER_ASLEEP;
}

/*
 * Takes s out of its list, under the lock. libc alone knows whom a signal woke:
 * if another one bears the wake-up that was ours, or we bear another one's, as
 * we timed out, it is handed on.
 */
static void leave(struct bucket *bucket, struct sleeper *s, bool was_woken)
{
	bool is_woken = s->state == SLEEPER_WOKEN;
	struct sleeper *other = NULL;

	if (was_woken != is_woken)
		other = find(bucket, s->cond,
			     is_woken ? SLEEPER_ASLEEP : SLEEPER_WOKEN);
	if (other && is_woken)
		hand_on(s, other);
	else if (other)
		hand_on(other, s);
	unlink_from(bucket, s);
	sub_release(count_of(s->cond), 1);
}

/* True: it is in no list any more, and its wait, if it was woken, has ended. */
static bool take_out(struct sleeper *s, bool was_woken)
{
	struct bucket *bucket;
	bool is_waiter;

	if (s->state == SLEEPER_OUT)
		return true;
	bucket = bucket_of(s->cond);
	if (!try_lock(bucket))
		return false;
	leave(bucket, s, was_woken);
	is_waiter = s->state == SLEEPER_WOKEN;
	s->state = SLEEPER_OUT;
	unlock(bucket);
	if (is_waiter) {
		s->wait.caller = s->caller;
		contention_wait_end(&s->wait, WAIT_ACQUIRED);
	}
	return true;
}

void sleeper_begin(const void *cond, struct lock lock, const void *caller)
{
	struct recording *rec = live_recording();
	struct bucket *bucket = bucket_of(cond);
	struct sleeper *s;

	/* A place that could not be left before is left now, or not used. */
	if (!rec || !live_header.watches_locks || !(s = own_place()) ||
	    !take_out(s, false))
		return;
	s->cond = cond;
	s->lock = lock;
	s->caller = caller;
	s->who = thread_identify();
	if (!try_lock(bucket))
		return;
	s->state = SLEEPER_ASLEEP;
	append(bucket, s);
	add_relaxed(count_of(cond), 1);
	unlock(bucket);
}

void sleeper_end(bool was_woken)
{
	struct sleeper *s = thread_self.sleeper;

	if (s)
		take_out(s, was_woken);
}

void sleepers_wake(const void *cond, unsigned most)
{
	struct bucket *bucket = bucket_of(cond);
	struct sleeper *s;

	if (!try_lock(bucket))
		return;
	for (s = bucket->first; s && most; s = s->next) {
		if (s->cond != cond || s->state != SLEEPER_ASLEEP)
			continue;
		contention_wait_begin_for(&s->wait, s->lock, s->who);
		s->state = SLEEPER_WOKEN;
		most--;
	}
	unlock(bucket);
}

void sleeper_forget(void)
{
	struct sleeper *s = thread_self.sleeper;

	if (!s || !take_out(s, false))
		return;
	thread_self.sleeper = NULL;
	store_release(&s->claimed, 0);
}

void sleepers_reset(void)
{
	/* Only those in use: the rest has never been touched, nor shall it be.
	 */
	for (int i = 0; i < MAX_SLEEPERS; i++)
		if (places[i].claimed)
			memset(&places[i], 0, sizeof(places[i]));
	memset(buckets, 0, sizeof(buckets));
	memset(sleepers_count, 0, sizeof(sleepers_count));
	thread_self.sleeper = NULL;
}
