/*
 * The row cache.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <pthread.h>

#include "base/hash.h"
#include "sigsafe/walk/row_cache.h"

#define THREADS 4
#define PLACES	(3 * ROW_CACHE_PAIRS) /* half of them more than fit */
#define ROUNDS	50u

/* Places that share one pair with the first. */
static void find_neighbours(uint64_t place[3])
{
	uint64_t at = place[0];

	for (int i = 1; i < 3; i++) {
		do
			at++;
		while (row_cache_pair(at) != row_cache_pair(place[0]));
		place[i] = at;
	}
}

static bool has(uint64_t place, unwind_row wanted)
{
	unwind_row row = ~wanted;

	return row_cache_find(place, place, &row) && row == wanted;
}

Test(row_cache, what_was_added_is_found)
{
	unwind_row row;

	cr_assert(!row_cache_find(1, 1, &row));
	row_cache_add(1, 1, 77);
	cr_assert(has(1, 77));
	cr_assert(!row_cache_find(2, 2, &row));
}

/* Another object has been loaded there. */
Test(row_cache, the_address_alone_finds_nothing)
{
	unwind_row row;

	row_cache_add(1, 2, 77);
	cr_assert(!row_cache_find(1, 3, &row));
	cr_assert(row_cache_find(1, 2, &row));
}

Test(row_cache, two_places_share_a_pair)
{
	uint64_t place[3] = { 1 };

	find_neighbours(place);
	row_cache_add(place[0], place[0], 70);
	row_cache_add(place[1], place[1], 71);
	cr_assert(has(place[0], 70));
	cr_assert(has(place[1], 71));
}

Test(row_cache, a_third_takes_the_place_of_the_first)
{
	uint64_t place[3] = { 1 };
	unwind_row row;

	find_neighbours(place);
	for (unsigned i = 0; i < 3; i++)
		row_cache_add(place[i], place[i], 70 + i);
	cr_assert(!row_cache_find(place[0], place[0], &row));
	cr_assert(has(place[1], 71));
	cr_assert(has(place[2], 72));
}

Test(row_cache, nothing_is_found_after_a_reset)
{
	unwind_row row;

	row_cache_add(1, 1, 77);
	row_cache_reset();
	cr_assert(!row_cache_find(1, 1, &row));
	row_cache_add(1, 1, 78);
	cr_assert(has(1, 78));
}

/* The writing of another thread that never came to its end. */
Test(row_cache, an_entry_left_half_written_is_not_used)
{
	struct row_pair *pair = row_cache_pair(1);
	unwind_row row;

	row_cache_add(1, 1, 77);
	pair->entry[0].version++;
	pair->entry[1].version++;
	cr_assert(!row_cache_find(1, 1, &row));
	row_cache_add(1, 1, 78);
	cr_assert(!row_cache_find(1, 1, &row));
}

struct worker {
	pthread_t thread;
	unsigned long found, wrong;
};

/* Every place has the row that is its own number, whoever adds it. */
static void *add_and_find(void *argument)
{
	struct worker *worker = argument;

	for (uint64_t i = 0; i < ROUNDS * PLACES; i++) {
		uint64_t place = 1 + hash_slot(i, PLACES);
		unwind_row row;

		if (!row_cache_find(place, place, &row)) {
			row_cache_add(place, place, ~place);
			continue;
		}
		worker->found++;
		worker->wrong += row != ~place;
	}
	return NULL;
}

Test(row_cache, threads_that_add_and_find_at_once_find_whole_rows,
     .timeout = 60)
{
	struct worker worker[THREADS] = { 0 };

	for (int i = 0; i < THREADS; i++)
		pthread_create(&worker[i].thread, NULL, add_and_find,
			       &worker[i]);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(worker[i].thread, NULL);
		cr_assert_eq(worker[i].wrong, 0);
	}
	/* Or nothing has been tried. */
	cr_assert_gt(worker[0].found + worker[1].found + worker[2].found +
			     worker[3].found,
		     0);
}
