/*
 * Reader-writer locks, and a program that keeps books on them: one lock that
 * prefers readers, and one that prefers writers.
 *
 * What waited while readers held a lock, from the first in to the last out, is
 * the cost of the last; where two leave at one moment the log can't tell which
 * that was, and the cost is in doubt for both. So is what waits after a holder
 * noted that it gives the lock away, until it notes that it is gone.
 *
 * usage: victim_oracle_rw SEED [MILLISECONDS]
 * prints what victim_oracle does
 *
 * SPDX-License-Identifier: MIT
 */
#include "victim_oracle.h"

static pthread_rwlock_t locks[LOCKS] = {
	PTHREAD_RWLOCK_INITIALIZER,
	PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP,
};

static void read_on(struct actor *self, int lock)
{
	note(self, GOT_SHARED, lock, 1);
	pass(self, 100, 5000);
	note(self, GAVE_SHARED, lock, 1);
	pthread_rwlock_unlock(&locks[lock]);
	note(self, GONE, lock, 1);
}

static void write_on(struct actor *self, int lock)
{
	note(self, GOT, lock, 1);
	pass(self, 100, 5000);
	note(self, GAVE, lock, 1);
	pthread_rwlock_unlock(&locks[lock]);
	note(self, GONE, lock, 1);
}

static void read_lock(struct actor *self, int lock)
{
	note(self, ASK_SHARED, lock, 1);
	pthread_rwlock_rdlock(&locks[lock]);
	read_on(self, lock);
}

static void write_lock(struct actor *self, int lock)
{
	note(self, ASK, lock, 1);
	pthread_rwlock_wrlock(&locks[lock]);
	write_on(self, lock);
}

static void read_if_free(struct actor *self, int lock)
{
	note(self, ASK_SHARED, lock, 1);
	if (pthread_rwlock_tryrdlock(&locks[lock]))
		note(self, LEFT, lock, 1);
	else
		read_on(self, lock);
}

static void write_if_free(struct actor *self, int lock)
{
	note(self, ASK, lock, 1);
	if (pthread_rwlock_trywrlock(&locks[lock]))
		note(self, LEFT, lock, 1);
	else
		write_on(self, lock);
}

static void read_if_in_time(struct actor *self, int lock)
{
	const struct deadline d = draw_deadline(self);
	pthread_rwlock_t *l = &locks[lock];
	int err;

	note(self, ASK_SHARED, lock, 1);
	err = d.clock == CLOCK_REALTIME
		      ? pthread_rwlock_timedrdlock(l, &d.until)
		      : pthread_rwlock_clockrdlock(l, d.clock, &d.until);
	if (err)
		note(self, LEFT, lock, 1);
	else
		read_on(self, lock);
}

static void write_if_in_time(struct actor *self, int lock)
{
	const struct deadline d = draw_deadline(self);
	pthread_rwlock_t *l = &locks[lock];
	int err;

	note(self, ASK, lock, 1);
	err = d.clock == CLOCK_REALTIME
		      ? pthread_rwlock_timedwrlock(l, &d.until)
		      : pthread_rwlock_clockwrlock(l, d.clock, &d.until);
	if (err)
		note(self, LEFT, lock, 1);
	else
		write_on(self, lock);
}

static void (*const acts[8])(struct actor *, int) = {
	read_lock,    read_lock,     read_lock,	      write_lock,
	read_if_free, write_if_free, read_if_in_time, write_if_in_time,
};

/* A lock while its log is read. */
struct state {
	uint64_t since_ns;
	int writer; /* or -1 */
	int giver;  /* the last holder, while it may hold it still, or -1 */
	int readers, waiting;
	bool shared;	    /* by readers, from the first in to the last out */
	int let_in;	    /* of the waiting: by the release that began it */
	uint64_t shared_ns; /* what the others have waited since */

	struct {
		bool wants_share, is_let_in, is_leaving;
	} of[THREADS];
	uint64_t doubt_ns; /* since the last writer: who ended it? */
};

/* Up to the event: who waited for whom. */
static void pass_to(struct state *s, uint64_t at_ns)
{
	uint64_t passed_ns = at_ns - s->since_ns;
	uint64_t all_ns = passed_ns * (uint64_t)s->waiting;
	uint64_t let_in_ns = passed_ns * (uint64_t)s->let_in;

	s->since_ns = at_ns;
	if (s->writer >= 0) {
		cost_ns[s->writer] += all_ns;
	} else if (s->shared) {
		s->shared_ns += all_ns - let_in_ns;
		handoff_ns += let_in_ns;
	} else {
		handoff_ns += all_ns;
		if (s->giver >= 0)
			doubt_ns[s->giver] += all_ns;
	}
}

static void stop_waiting(struct state *s, int thread)
{
	s->waiting--;
	s->let_in -= s->of[thread].is_let_in;
	s->of[thread].is_let_in = false;
	s->of[thread].wants_share = false;
}

/* The first is in: whoever waits to read by now has been let in with it. */
static void open_share(struct state *s)
{
	s->shared = true;
	for (int i = 0; i < THREADS; i++) {
		s->of[i].is_let_in = s->of[i].wants_share;
		s->let_in += s->of[i].is_let_in;
	}
}

static const struct event *next_of_lock(const struct event *e)
{
	const int lock = e->lock;
	for (e++; e < events + event_count; e++)
		if (e->lock == lock)
			return e;
	return NULL;
}

/* Who is let in but not awake has the lock: then it will be the next. */
static bool is_let_in_next(const struct state *s, const struct event *e)
{
	do
		e = next_of_lock(e);
	while (e && e->what != GOT && e->what != GOT_SHARED);
	return e && s->of[e->thread].is_let_in;
}

/*
 * A reader notes that it is in when it is, and that it is out when it is not
 * yet. Was another one in when this one noted that it, the last, was out?
 */
static bool is_another_in(const struct state *s, const struct event *out)
{
	bool may_be_in[THREADS], is_gone = false;

	for (int i = 0; i < THREADS; i++) {
		may_be_in[i] = s->of[i].wants_share;
		if (s->of[i].is_leaving && i != out->thread)
			return true;
	}
	for (const struct event *e = next_of_lock(out); e && e->what != GOT;
	     e = next_of_lock(e)) {
		if (e->what == ASK_SHARED)
			may_be_in[e->thread] = !is_gone;
		else if (e->what == GOT_SHARED && may_be_in[e->thread])
			return true;
		else if (e->what == GONE && e->thread == out->thread)
			is_gone = true;
	}
	return false;
}

static void close_share(struct state *s, int thread)
{
	cost_ns[thread] += s->shared_ns;
	for (int i = 0; i < THREADS; i++)
		s->of[i].is_let_in = false;
	s->giver = thread;
	s->shared = false;
	s->let_in = 0;
	s->shared_ns = 0;
}

/* As far as the log tells. */
static void last_is_out(struct state *s, const struct event *e)
{
	doubt_ns[e->thread] += s->doubt_ns;
	if (is_another_in(s, e)) {
		for (int i = 0; i < THREADS; i++)
			if (s->of[i].is_leaving)
				doubt_ns[i] += s->shared_ns;
		s->doubt_ns += s->shared_ns;
	}
	if (!is_let_in_next(s, e))
		close_share(s, e->thread);
}

static void apply(struct state *s, const struct event *e)
{
	switch (e->what) {
	case ASK_SHARED:
		s->of[e->thread].wants_share = true;
		/* fall through */
	case ASK:
		s->waiting++;
		break;
	case LEFT:
		stop_waiting(s, e->thread);
		break;
	case GOT:
		stop_waiting(s, e->thread);
		s->writer = e->thread;
		s->doubt_ns = 0;
		holds[e->thread]++;
		break;
	case GAVE:
		s->writer = -1;
		s->giver = e->thread;
		break;
	case GOT_SHARED:
		stop_waiting(s, e->thread);
		if (!s->shared)
			open_share(s);
		s->readers++;
		holds[e->thread]++;
		break;
	case GAVE_SHARED:
		s->of[e->thread].is_leaving = true;
		if (!--s->readers)
			last_is_out(s, e);
		break;
	case GONE:
		s->of[e->thread].is_leaving = false;
		if (s->giver == e->thread)
			s->giver = -1;
		break;
	case TOOK:
	case WOKE:
		abort();
	}
}

static void audit(int lock)
{
	struct state s = { .writer = -1, .giver = -1 };

	for (size_t i = 0; i < event_count; i++) {
		if (events[i].lock != lock)
			continue;
		pass_to(&s, events[i].at_ns);
		apply(&s, &events[i]);
		/* Readers and a writer at once: then the log is wrong. */
		if (s.writer >= 0 && s.readers)
			abort();
	}
	if (s.waiting || s.shared)
		abort();
}

int main(int argc, char **argv)
{
	run(argc, argv, NULL);
	for (int i = 0; i < LOCKS; i++)
		audit(i);
	print_books();
	return 0;
}
