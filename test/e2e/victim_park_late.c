/*
 * A thread that parks while who took turns with it does not wait for events
 * where it did: as it was not let run yet, or is no more.
 *
 * usage: victim_park_late WHAT
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "victim_turns.h"

static atomic_int first;  /* the thread that parks before it ever waited */
static atomic_uint given; /* turns of that one which are over */
static atomic_bool is_over;

#define NEVER 100

struct member {
	int number;
	unsigned turns;	    /* until it ends */
	unsigned waits;	    /* in each turn */
	unsigned long_turn; /* longer than others are remembered for */
	unsigned late_turn; /* in that it does not wait at once */
	bool takes_place_along;
};

static void take_turn(const struct member *self, unsigned turn)
{
	if (turn == self->late_turn)
		usleep(STALL_NS / 1000);
	for (unsigned i = 0; i < self->waits; i++)
		wait_for_events(turn == self->long_turn ? 1100 : 1);
	give_place(self->number);
}

static void *take_turns(void *member)
{
	const struct member *self = member;
	bool is_first = self->number == 1, is_last = false;

	if (is_first)
		atomic_store(&first, gettid());
	for (unsigned turn = 0; turn < self->turns && !is_last; turn++) {
		take_place(self->number);
		is_last = is_first && atomic_load(&is_over);
		take_turn(self, turn);
		if (is_first)
			atomic_store(&given, turn + 1);
	}
	if (self->takes_place_along)
		take_place(self->number);
	return NULL;
}

static void until_parked(unsigned turns_made)
{
	while (atomic_load(&given) < turns_made || !sleeps(atomic_load(&first)))
		usleep(100);
}

/* The first one is woken for the last time after as long as a stall takes. */
static void run(struct member *other, unsigned turns_of_first)
{
	struct member member = {
		.number = 1,
		.turns = NEVER,
		.waits = other->waits,
		.long_turn = other->late_turn - 1,
		.late_turn = NEVER,
	};
	pthread_t thread[2];

	pthread_create(&thread[1], NULL, take_turns, &member);
	while (!atomic_load(&first))
		usleep(100);
	until_parked(0);
	pthread_create(&thread[0], NULL, take_turns, other);
	pthread_join(thread[0], NULL);
	until_parked(turns_of_first);
	usleep(STALL_NS / 1000);
	atomic_store(&is_over, true);
	give_place(0);
	pthread_join(thread[1], NULL);
}

static struct {
	const char *name;
	struct member other;
	unsigned turns_of_first;
} things[] = {
	/* When it has its place again it does not wait there at once. */
	{ "late", { 0, 4, 1, NEVER, 2, false }, 4 },
	/* It never parked, and is gone. */
	{ "left", { 0, 1, 2, NEVER, NEVER, false }, 1 },
	/* It is given the place, and ends. */
	{ "left-with-place", { 0, 4, 1, NEVER, NEVER, true }, 4 },
};

int main(int argc, char **argv)
{
	epoll_fd = epoll_create1(0);
	for (size_t i = 0; i < sizeof(things) / sizeof(things[0]); i++) {
		if (argc > 1 && !strcmp(argv[1], things[i].name)) {
			run(&things[i].other, things[i].turns_of_first);
			exit(0);
		}
	}
	return 2;
}
