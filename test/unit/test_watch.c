/*
 * The stall watch: what a tick does.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>

#include "recording_fixture.h"
#include "setup/layout.h"
#include "sigsafe/loops/run.h"
#include "sigsafe/loops/timer.h"
#include "sigsafe/loops/watch.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/signals/tick_signal.h"

/* In a run that has just begun, with a timer that does not fire. */
static void begin_run(void)
{
	thread_self = fixture_thread(fixture_recording(MIN_RECORDING_BYTES));
	signal(SIGUSR1, SIG_IGN); /* no timer is made that would kill */
	tick_now.signal = SIGUSR1;
	thread_self.stall_ns = 1000 * NS_PER_S;
	thread_self.run_begun_ns = clock_now_ns();
	timer_arm(&thread_self, clock_now_ns() + 1000 * NS_PER_S);
	cr_assert(thread_self.armed);
}

static void tick(void)
{
	ucontext_t context;

	memset(&context, 0, sizeof(context));
	watch_tick(&context);
}

TestSuite(watch, .init = begin_run);

Test(watch, a_tick_in_a_young_run_arms_the_timer_again)
{
	tick();
	cr_assert(thread_self.armed);
}

/* As older kernels deliver it: on the return from the call that disarms. */
Test(watch, a_tick_that_comes_after_all_leaves_the_timer_disarmed)
{
	cr_assert(timer_disarm(&thread_self));
	tick();
	cr_assert(!thread_self.armed);
	timer_arm(&thread_self, clock_now_ns() + 1000 * NS_PER_S);
	tick();
	cr_assert(thread_self.armed);
}

Test(watch, a_timer_that_is_no_more_is_not_disarmed)
{
	thread_self.timer += 1000;
	cr_assert(!timer_disarm(&thread_self));
	tick();
	cr_assert(thread_self.armed);
}

/* That came behind the look at the clock: the rest of the run is not negative.
 */
Test(watch, a_run_ends_no_earlier_than_its_last_tick)
{
	uint64_t begun_ns = thread_self.run_begun_ns;
	uint64_t tick_ns = begun_ns + NS_PER_S;

	thread_self.shared_ns = tick_ns;
	cr_assert_eq(run_end(CALL_POLL), tick_ns);
	cr_assert_eq(thread_self.record->longest_run_ns, NS_PER_S);
}

/* As for a long stall's next tick. */
Test(watch, a_run_that_finds_the_timer_armed_for_later_arms_it_anew)
{
	uint64_t later_ns = clock_now_ns() + 3000 * NS_PER_S;

	timer_arm_for_later(&thread_self, later_ns);
	cr_assert(timer_hold(&thread_self));
	timer_release(&thread_self);
	timer_arm_again(&thread_self);
	cr_assert_eq(thread_self.armed_until_ns, later_ns);
	run_end(CALL_POLL);
	run_begin(0);
	cr_assert_eq(thread_self.armed_until_ns,
		     thread_self.run_begun_ns + thread_self.stall_ns);
	cr_assert_eq(thread_self.armed, ARMED);
}

Test(watch, a_timer_that_is_armed_is_known_to_be_when_the_threshold_falls)
{
	live_header.thresholds.others_ns = NS_PER_S;
	thread_read_name(&thread_self);
	cr_assert_eq(thread_self.stall_ns, NS_PER_S);
	cr_assert_eq(thread_self.armed, ARMED_FOR_LATER);
}
