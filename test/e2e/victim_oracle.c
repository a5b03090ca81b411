/*
 * Mutexes and condition variables, and a program that keeps books on them.
 *
 * usage: victim_oracle SEED [MILLISECONDS]
 * prints "THREAD NANOSECONDS HOLDS DOUBT", what each thread's holds cost the
 * others, then "waited NANOSECONDS" and "handoff NANOSECONDS", the part of it
 * during which nobody held the lock
 *
 * SPDX-License-Identifier: MIT
 */
#include "victim_oracle.h"

static struct lock {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	int sleepers; /* not woken yet; under the mutex */
} locks[LOCKS];

static void take(struct actor *self, int lock)
{
	note(self, ASK, lock, 1);
	pthread_mutex_lock(&locks[lock].mutex);
	note(self, GOT, lock, 1);
}

static void give(struct actor *self, int lock)
{
	note(self, GAVE, lock, 1);
	pthread_mutex_unlock(&locks[lock].mutex);
	note(self, GONE, lock, 1);
}

static void hold(struct actor *self, int lock)
{
	take(self, lock);
	pass(self, 100, 5000);
	give(self, lock);
}

static void hold_twice(struct actor *self, int lock)
{
	hold(self, lock);
	hold(self, lock);
}

static void hold_if_in_time(struct actor *self, int lock)
{
	const struct deadline d = draw_deadline(self);
	pthread_mutex_t *mutex = &locks[lock].mutex;
	int err;

	note(self, ASK, lock, 1);
	err = d.clock == CLOCK_REALTIME
		      ? pthread_mutex_timedlock(mutex, &d.until)
		      : pthread_mutex_clocklock(mutex, d.clock, &d.until);
	note(self, err ? LEFT : GOT, lock, 1);
	if (err == ETIMEDOUT)
		return;
	pass(self, 100, 5000);
	give(self, lock);
}

static void sleep_within(struct actor *self, int lock)
{
	take(self, lock);
	pass(self, 100, 2000);
	locks[lock].sleepers++;
	note(self, GAVE, lock, 1);
	pthread_cond_wait(&locks[lock].cond, &locks[lock].mutex);
	note(self, GOT, lock, 1);
	pass(self, 100, 2000);
	give(self, lock);
}

/* Who times out has not waited for the mutex, as far as anybody can tell. */
static void doze_within(struct actor *self, int lock)
{
	const struct deadline d = draw_deadline(self);
	struct lock *l = &locks[lock];
	bool is_late;

	take(self, lock);
	l->sleepers++;
	note(self, GAVE, lock, 1);
	is_late = pthread_cond_clockwait(&l->cond, &l->mutex, d.clock,
					 &d.until) == ETIMEDOUT &&
		  l->sleepers;
	note(self, is_late ? TOOK : GOT, lock, 1);
	l->sleepers -= is_late;
	pass(self, 100, 2000);
	give(self, lock);
}

/* Under the mutex. */
static void wake(struct actor *self, int lock, bool all)
{
	struct lock *l = &locks[lock];
	int woken = all ? l->sleepers : l->sleepers > 0;

	l->sleepers -= woken;
	note(self, WOKE, lock, woken);
	if (all)
		pthread_cond_broadcast(&l->cond);
	else
		pthread_cond_signal(&l->cond);
}

static void wake_within(struct actor *self, int lock)
{
	take(self, lock);
	pass(self, 100, 2000);
	wake(self, lock, draw(self, 0, 2));
	pass(self, 100, 2000);
	give(self, lock);
}

static void (*const acts[8])(struct actor *, int) = {
	hold,	      doze_within, hold_twice,	hold_if_in_time,
	sleep_within, wake_within, wake_within, wake_within,
};

/* Nobody is left asleep. */
static void wake_all(struct actor *self)
{
	for (int i = 0; i < LOCKS; i++) {
		take(self, i);
		wake(self, i, true);
		give(self, i);
	}
}

/*
 * What happens to one lock: who holds it, how many wait, since when. When
 * within an unlock it was let go of, nobody knows: what passes in it is in
 * doubt.
 */
static void audit(int lock)
{
	int holder = -1, leaver = -1, waiting = 0;
	uint64_t since_ns = 0;

	for (size_t i = 0; i < event_count; i++) {
		const struct event *e = &events[i];
		uint64_t passed_ns = (e->at_ns - since_ns) * (uint64_t)waiting;

		if (e->lock != lock)
			continue;
		if (holder < 0)
			handoff_ns += passed_ns;
		else
			cost_ns[holder] += passed_ns;
		if (leaver >= 0)
			doubt_ns[leaver] += passed_ns;
		since_ns = e->at_ns;
		waiting += e->what == ASK ? 1 : e->what == WOKE ? e->count : 0;
		waiting -= e->what == GOT || e->what == LEFT;
		if (e->what == GOT || e->what == TOOK) {
			holder = e->thread;
			holds[holder]++;
		} else if (e->what == GAVE) {
			leaver = holder;
			holder = -1;
		}
		if (holder >= 0 || (e->what == GONE && e->thread == leaver))
			leaver = -1;
	}
	if (waiting)
		abort();
}

int main(int argc, char **argv)
{
	for (int i = 0; i < LOCKS; i++) {
		pthread_mutex_init(&locks[i].mutex, NULL);
		pthread_cond_init(&locks[i].cond, NULL);
	}
	run(argc, argv, wake_all);
	for (int i = 0; i < LOCKS; i++)
		audit(i);
	print_books();
	return 0;
}
