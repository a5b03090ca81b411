/*
 * Unit tests: sigsafe/loops/run.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "recording_fixture.h"
#include "setup/layout.h"
#include "sigsafe/live.h"
#include "sigsafe/loops/run.h"

static void enrol(void)
{
	fixture_recording(MIN_RECORDING_BYTES);
	live_header.thresholds.others_ns = NS_PER_S;
	cr_assert_eq(pthread_key_create(&thread_key, NULL), 0);
	thread_enrol(&thread_self);
}

TestSuite(run, .init = enrol);

/* A run that was forgotten does not end where the thread waits next. */
Test(run, what_the_loop_waits_in_is_known_where_no_run_ends)
{
	run_end(CALL_EPOLL_WAIT);
	cr_assert_eq(thread_self.record->wait_call, CALL_EPOLL_WAIT);
	run_begin(1);
	run_forget();
	run_end(CALL_POLL);
	cr_assert_eq(thread_self.record->wait_call, CALL_POLL);
}

/* One is over where it ends, and the next one is another. */
Test(run, a_run_is_from_a_wait_to_the_next)
{
	run_begin(3);
	cr_assert_neq(thread_self.record->run_begun_ns, 0);
	cr_assert_eq(thread_self.record->waits, 1);
	cr_assert_eq(thread_self.record->events, 3);
	run_end(CALL_POLL);
	cr_assert_eq(thread_self.run_begun_ns, 0);
	run_begin(2);
	cr_assert_eq(thread_self.record->waits, 2);
	cr_assert_eq(thread_self.record->events, 5);
	run_end(CALL_POLL);
}
