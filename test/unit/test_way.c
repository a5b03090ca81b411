/*
 * Ways to waits: a callback is told from what is called beside the wait.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "sigsafe/loops/way.h"
#include "stack_fixture.h"

struct event {
	void (*run)(void);
};

static struct wait_way way;
static bool is_beside;

static __attribute__((noinline)) void wait_for_events(void)
{
	struct call_site here = CALL_SITE_HERE;

	way_find(&way, &here);
}

static __attribute__((noinline)) void block(void)
{
	struct call_site here = CALL_SITE_HERE;

	is_beside = way_beside(&way, &here);
}

/* Each call is to be followed by something, so that it leaves a frame. */
static __attribute__((noinline)) void block_in_another(void)
{
	block();
	__asm__ volatile("");
}

static __attribute__((noinline)) void turn(const struct event *event)
{
	wait_for_events();
	if (event)
		event->run();
	else
		block_in_another();
	__asm__ volatile("");
}

static __attribute__((noinline)) void wait_in_another(void)
{
	wait_for_events();
	__asm__ volatile("");
}

static void begin(void)
{
	fixture_start_unwinder();
	way = (struct wait_way){ 0 };
}

Test(way, what_is_called_by_its_name_is_beside_the_wait)
{
	begin();
	turn(NULL);
	cr_assert(is_beside);
	is_beside = false;
	wait_in_another();
	block_in_another();
	cr_assert(is_beside);
}

Test(way, a_callback_is_not)
{
	struct event event = { block_in_another };

	begin();
	is_beside = true;
	turn(&event);
	cr_assert(way.depth);
	cr_assert_not(is_beside);
}

Test(way, nothing_is_beside_a_wait_to_which_there_were_many_ways)
{
	begin();
	for (int i = 0; i < WAYS; i++)
		wait_in_another();
	cr_assert(way.depth);
	is_beside = true;
	turn(NULL);
	cr_assert_not(is_beside);
}
