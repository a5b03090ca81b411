/*
 * A wait for a lock, as the ticks of the run see it that it is part of.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/prctl.h>

#include "machine_fixture.h"
#include "recording_fixture.h"
#include "setup/layout.h"
#include "sigsafe/live.h"
#include "sigsafe/locks/contention.h"
#include "sigsafe/locks/lock_table.h"
#include "sigsafe/os/clock.h"
#include "step_fixture.h"

/*
 * Sanitizers put in instructions of theirs. And where atomic operations are
 * pairs of exclusive loads and stores, a trap in between has them try for ever.
 */
#if defined(__x86_64__)
#define CAN_STEP (!IS_SANITIZED)
#else
#define CAN_STEP false
#endif

static char mutex; /* an address only */

/* A wait of the calling thread, up to its end. */
static void begin_wait(struct lock_wait *wait)
{
	const void *here = __builtin_return_address(0);
	struct lock lock = { &mutex, LOCK_MUTEX, 0 };
	struct contention caused;

	contention_wait_begin(wait, lock, here);
	cr_assert_not_null(wait->recording);
	caused = contention_settle(&mutex);
	contention_record(&caused, here);
}

static void start(void)
{
	struct recording *rec = fixture_recording(MIN_RECORDING_BYTES);

	live_header.watches_locks = true;
	thread_self = fixture_thread(rec);
	thread_self.run_begun_ns = clock_now_ns();
}

TestSuite(lock_wait, .init = start);

/* Instructions at which a tick finds, of a wait that has ended, nothing. */
static unsigned unseen, steps;

static void look(const ucontext_t *context)
{
	const struct slice *slice = &thread_self.loop->slice;

	(void)context;
	steps++;
	unseen += !thread_self.lock && !slice->wait_ns[CAUSE_LOCK];
}

/* It is told either as a wait that goes on, or as one that was. */
Test(lock_wait, a_tick_at_its_end_finds_it, .disabled = !CAN_STEP)
{
	struct lock_wait wait;

	begin_wait(&wait);
	cr_assert_not_null(thread_self.lock);
	fixture_begin_steps(look);
	fixture_step();
	contention_wait_end(&wait, WAIT_ACQUIRED);
	fixture_end_steps();
	cr_assert_null(thread_self.lock);
	cr_assert_gt(thread_self.loop->slice.wait_ns[CAUSE_LOCK], 0);
	cr_assert_gt(steps, 300);
	cr_assert_lt(unseen, 100, "%u of %u", unseen, steps);
}

static const char *taker_after_wait_as(const char *name)
{
	struct lock_wait wait;

	prctl(PR_SET_NAME, name);
	begin_wait(&wait);
	contention_wait_end(&wait, WAIT_ACQUIRED);
	return lock_find(live_recording(), &mutex)->taker_name;
}

Test(lock_wait, who_has_got_the_lock_is_told_by_its_present_name)
{
	uint64_t begun_ns;

	cr_assert_str_eq(taker_after_wait_as("at its start"), "at its start");
	begun_ns = clock_now_ns();
	while (clock_now_ns() - begun_ns < 10 * NS_PER_MS)
		;
	cr_assert_str_eq(taker_after_wait_as("at work"), "at work");
}
