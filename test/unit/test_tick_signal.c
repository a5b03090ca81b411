/*
 * The tick signal: when it moves on, where to, and what becomes of late ticks.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <sys/wait.h>

#include "machine_fixture.h"
#include "signal_fixture.h"
#include "sigsafe/signals/host_mask.h"
#include "sigsafe/signals/host_signal.h"
#include "sigsafe/thread.h"

#define FIRST_PRIVATE (SIGRTMAX - 2)
#define EVERY	      (~UINT64_C(0))
#define NO_FULL_MASK  "the last two signals are never blocked"

static void on_signal(int sig)
{
	(void)sig;
	cr_assert_fail("a tick reached the host");
}

/* The tick arrives: it is not armed any more. */
static void assert_taken(int sig)
{
	thread_self.armed = ARMED;
	send_tick(sig);
	cr_assert_not(thread_self.armed);
}

Test(tick_signal, is_sigusr1_until_the_host_handles_it)
{
	uint32_t generation;

	signals_start(0);
	generation = tick_signal_generation();
	cr_assert_eq(tick_signal(), SIGUSR1);
	assert_taken(SIGUSR1);
	handle(SIGUSR2, on_signal);
	cr_assert_eq(tick_signal(), SIGUSR1);
	handle(SIGUSR1, on_signal);
	cr_assert_eq(tick_signal(), FIRST_PRIVATE);
	cr_assert_eq(tick_signal_generation(), generation + 1);
	assert_taken(FIRST_PRIVATE);
}

Test(tick_signal, moves_when_the_host_ignores_it)
{
	signals_start(0);
	handle(SIGUSR1, SIG_IGN);
	cr_assert_eq(tick_signal(), FIRST_PRIVATE);
}

Test(tick_signal, stays_when_the_host_resets_every_signal)
{
	signals_start(0);
	for (int sig = 1; sig <= 64; sig++) {
		struct sigaction act = { .sa_handler = SIG_DFL };

		host_sigaction(sig, &act, NULL);
	}
	cr_assert_eq(tick_signal(), SIGUSR1);
	assert_taken(SIGUSR1);
}

Test(tick_signal, moves_when_the_host_blocks_it)
{
	kernel_sigset set = SIGNAL_BIT(SIGUSR1), mask;

	signals_start(0);
	cr_assert_eq(host_sigmask(SIG_UNBLOCK, &set, NULL), 0);
	cr_assert_eq(tick_signal(), SIGUSR1);
	cr_assert_eq(host_sigmask(SIG_BLOCK, &set, NULL), 0);
	cr_assert_eq(tick_signal(), FIRST_PRIVATE);
	cr_assert_eq(sys_sigprocmask(SIG_BLOCK, NULL, &mask), 0);
	cr_assert(mask & set);
}

Test(tick_signal, moves_when_the_host_waits_for_it)
{
	kernel_sigset set = SIGNAL_BIT(SIGUSR1) | SIGNAL_BIT(SIGTERM);

	signals_start(0);
	cr_assert_eq(host_sigset_claimed(set), set);
	cr_assert_eq(tick_signal(), FIRST_PRIVATE);
}

Test(tick_signal, taken_at_the_start_is_private_from_the_start)
{
	signal(SIGUSR1, SIG_IGN);
	signal(FIRST_PRIVATE, on_signal);
	signals_start(0);
	cr_assert_eq(tick_signal(), FIRST_PRIVATE - 1);
}

Test(tick_signal, blocked_at_the_start_is_private_from_the_start)
{
	kernel_sigset set = SIGNAL_BIT(SIGUSR1);

	sys_sigprocmask(SIG_BLOCK, &set, NULL);
	signals_start(0);
	cr_assert_eq(tick_signal(), FIRST_PRIVATE);
}

Test(tick_signal, chosen_is_but_another_start_of_the_chain)
{
	signals_start(SIGRTMIN + 5);
	cr_assert_eq(tick_signal(), SIGRTMIN + 5);
	handle(SIGUSR1, on_signal);
	cr_assert_eq(tick_signal(), SIGRTMIN + 5);
	handle(SIGRTMIN + 5, on_signal);
	cr_assert_eq(tick_signal(), FIRST_PRIVATE);
}

Test(tick_signal, private_survives_a_set_of_every_signal)
{
	kernel_sigset none = 0, old;

	signals_start(0);
	cr_assert_eq(host_sigset_claimed(EVERY),
		     EVERY & ~SIGNAL_BIT(FIRST_PRIVATE));
	cr_assert_eq(tick_signal(), FIRST_PRIVATE);
	cr_assert_eq(host_sigmask(SIG_SETMASK, &none, &old), 0);
	cr_assert_eq(old, 0);
}

Test(tick_signal, private_gives_way_to_a_set_that_means_it)
{
	kernel_sigset set =
		SIGNAL_BIT(FIRST_PRIVATE) | SIGNAL_BIT(FIRST_PRIVATE - 1);

	signals_start(0);
	handle(SIGUSR1, on_signal);
	cr_assert_eq(host_sigset_claimed(set), set);
	cr_assert_eq(tick_signal(), FIRST_PRIVATE - 2);
}

Test(tick_signal, passes_over_what_the_host_uses_already)
{
	kernel_sigset set = SIGNAL_BIT(FIRST_PRIVATE - 1);

	signals_start(0);
	handle(FIRST_PRIVATE, on_signal);
	cr_assert_eq(host_sigset_claimed(set), set);
	handle(SIGUSR1, SIG_IGN);
	cr_assert_eq(tick_signal(), FIRST_PRIVATE - 2);
}

Test(tick_signal, the_host_finds_blocked_what_it_blocked)
{
	kernel_sigset every = EVERY, tick = SIGNAL_BIT(FIRST_PRIVATE);
	kernel_sigset none = 0, kernel, old;

	signals_start(0);
	cr_assert_eq(host_sigmask(SIG_BLOCK, &every, &old), 0);
	cr_assert_eq(old, 0);
	sys_sigprocmask(SIG_BLOCK, NULL, &kernel);
	cr_assert_not(kernel & tick);
	cr_assert_eq(host_sigmask(SIG_BLOCK, NULL, &old), 0);
	cr_assert_eq(old, kernel | tick);
	cr_assert_eq(host_sigmask(SIG_UNBLOCK, &tick, &old), 0);
	cr_assert_eq(old, kernel | tick);
	cr_assert_eq(host_sigmask(SIG_SETMASK, &every, &old), 0);
	cr_assert_eq(old, kernel);
	cr_assert_eq(host_sigmask(SIG_SETMASK, &none, &old), 0);
	cr_assert_eq(old, kernel | tick);
	cr_assert_eq(host_sigmask(SIG_BLOCK, NULL, &old), 0);
	cr_assert_eq(old, 0);
}

Test(tick_signal, once_given_up_it_is_blocked_where_the_host_blocked_it)
{
	kernel_sigset every = EVERY, kernel;

	signals_start(0);
	cr_assert_eq(host_sigmask(SIG_BLOCK, &every, NULL), 0);
	handle(FIRST_PRIVATE, on_signal);
	cr_assert_eq(tick_signal(), FIRST_PRIVATE - 1);
	sys_sigprocmask(SIG_BLOCK, NULL, &kernel);
	cr_assert(kernel & SIGNAL_BIT(FIRST_PRIVATE));
	raise(FIRST_PRIVATE);
}

Test(tick_signal, what_is_sent_where_every_signal_is_blocked_stays_pending)
{
	kernel_sigset every = EVERY, sent = SIGNAL_BIT(FIRST_PRIVATE);
	kernel_sigset pending = 0, old;

	NOT_EMULATED(NO_FULL_MASK);
	signals_start(0);
	cr_assert_eq(host_sigmask(SIG_BLOCK, &every, NULL), 0);
	raise(FIRST_PRIVATE);
	cr_assert_eq(tick_signal(), FIRST_PRIVATE - 1);
	sys2(SYS_rt_sigpending, &pending, sizeof(pending));
	cr_assert_eq(pending, sent);
	cr_assert_eq(host_sigmask(SIG_BLOCK, NULL, &old), 0);
	cr_assert_eq(old | UNMASKABLE, every | UNMASKABLE);
	assert_taken(FIRST_PRIVATE - 1);
}

Test(tick_signal, one_left_open_where_all_others_are_blocked_is_meant)
{
	kernel_sigset set = EVERY & ~SIGNAL_BIT(FIRST_PRIVATE), old;

	NOT_EMULATED(NO_FULL_MASK);
	signals_start(0);
	handle(SIGUSR1, SIG_IGN);
	cr_assert_eq(host_sigmask(SIG_SETMASK, &set, NULL), 0);
	cr_assert_eq(tick_signal(), FIRST_PRIVATE - 1);
	cr_assert_eq(host_sigmask(SIG_BLOCK, NULL, &old), 0);
	cr_assert_eq(old | UNMASKABLE, set | UNMASKABLE);
}

/* As the masks of other threads do, and those that are put by. */
static void put_back(kernel_sigset kernel)
{
	sys_sigprocmask(SIG_SETMASK, &kernel, NULL);
}

/* The host has every signal blocked, and the kernel's mask is from before. */
static void give_up_what_is_open(void)
{
	kernel_sigset every = EVERY, kernel;

	signals_start(0);
	cr_assert_eq(host_sigmask(SIG_BLOCK, &every, NULL), 0);
	sys_sigprocmask(SIG_BLOCK, NULL, &kernel);
	handle(FIRST_PRIVATE, on_signal);
	put_back(kernel);
}

Test(tick_signal, one_given_up_is_put_off_where_it_was_kept_open)
{
	kernel_sigset every = EVERY, given = SIGNAL_BIT(FIRST_PRIVATE);
	kernel_sigset old, pending = 0;

	NOT_EMULATED(NO_FULL_MASK);
	give_up_what_is_open();
	cr_assert_eq(host_sigmask(SIG_BLOCK, NULL, &old), 0);
	cr_assert_eq(old | UNMASKABLE, every | UNMASKABLE);
	raise(FIRST_PRIVATE);
	sys2(SYS_rt_sigpending, &pending, sizeof(pending));
	cr_assert_eq(pending, given);
	cr_assert_eq(thread_self.host_handlers, 0);
}

static void on_given(int sig)
{
	(void)sig;
}

Test(tick_signal, one_given_up_comes_where_the_host_opened_it)
{
	kernel_sigset every = EVERY, given = SIGNAL_BIT(FIRST_PRIVATE), old;

	NOT_EMULATED(NO_FULL_MASK);
	signals_start(0);
	cr_assert_eq(host_sigmask(SIG_BLOCK, &every, NULL), 0);
	handle(FIRST_PRIVATE, on_given);
	cr_assert_eq(host_sigmask(SIG_UNBLOCK, &given, NULL), 0);
	raise(FIRST_PRIVATE);
	cr_assert_eq(thread_self.host_handlers, 1);
	cr_assert_eq(host_sigmask(SIG_BLOCK, &given, &old), 0);
	cr_assert_eq(old | UNMASKABLE, (every & ~given) | UNMASKABLE);
	raise(FIRST_PRIVATE);
	cr_assert_eq(thread_self.host_handlers, 1);
}

/* As a thread that is born: it has opened none itself. */
static void be_born(void)
{
	thread_self.opened = 0;
}

static void assert_given(kernel_sigset given)
{
	kernel_sigset old;

	be_born();
	cr_assert_eq(host_sigmask(SIG_BLOCK, NULL, &old), 0);
	cr_assert_eq(old | UNMASKABLE, (EVERY & ~given) | UNMASKABLE);
	cr_assert_eq(host_sigmask(SIG_SETMASK, &old, NULL), 0);
	raise(FIRST_PRIVATE);
	cr_assert_eq(thread_self.host_handlers, 1);
}

Test(tick_signal, one_that_is_handled_is_open_where_a_mask_lacks_it)
{
	kernel_sigset given = SIGNAL_BIT(FIRST_PRIVATE);
	kernel_sigset set = EVERY & ~given;

	NOT_EMULATED(NO_FULL_MASK);
	signals_start(0);
	handle(SIGUSR1, on_given);
	handle(FIRST_PRIVATE, on_given);
	cr_assert_eq(host_sigmask(SIG_SETMASK, &set, NULL), 0);
	assert_given(given);
}

Test(tick_signal, several_that_are_handled_are_so_too)
{
	kernel_sigset given = 0, set;

	NOT_EMULATED(NO_FULL_MASK);
	signals_start(SIGRTMIN + 5);
	handle(SIGRTMIN + 5, on_given);
	for (int i = 0; i < 4; i++) {
		handle(FIRST_PRIVATE - i, on_given);
		given |= SIGNAL_BIT(FIRST_PRIVATE - i);
	}
	set = EVERY & ~given;
	cr_assert_eq(host_sigmask(SIG_SETMASK, &set, NULL), 0);
	assert_given(given);
}

/* By pthread_attr_setsigmask_np(3), before it is handled. */
Test(tick_signal, one_that_a_mask_to_come_lacks_is_given_up)
{
	kernel_sigset given = SIGNAL_BIT(FIRST_PRIVATE), kernel;

	NOT_EMULATED(NO_FULL_MASK);
	signals_start(0);
	handle(SIGUSR1, on_given);
	kernel = host_sigset_claimed(EVERY & ~given);
	cr_assert_eq(tick_signal(), FIRST_PRIVATE - 1);
	handle(FIRST_PRIVATE, on_given);
	put_back(kernel);
	assert_given(given);
}

Test(tick_signal, a_late_tick_closes_the_one_it_came_by)
{
	kernel_sigset every = EVERY, kernel;

	NOT_EMULATED(NO_FULL_MASK);
	give_up_what_is_open();
	assert_taken(FIRST_PRIVATE);
	sys_sigprocmask(SIG_BLOCK, NULL, &kernel);
	cr_assert_eq(kernel | UNMASKABLE,
		     (every & ~SIGNAL_BIT(FIRST_PRIVATE - 1)) | UNMASKABLE);
}

Test(tick_signal, late_ticks_are_taken_whatever_the_host_does)
{
	signals_start(0);
	handle(SIGUSR1, on_signal);
	assert_taken(SIGUSR1);
	handle(SIGUSR1, SIG_DFL);
	assert_taken(SIGUSR1);
	handle(SIGUSR1, SIG_IGN);
	send_tick(SIGUSR1);
	handle(SIGUSR1, SIG_DFL);
	assert_taken(SIGUSR1);
	cr_assert_eq(thread_self.host_handlers, 0);
}

Test(tick_signal, none_left_is_counted)
{
	struct recording *rec = signals_start(0);

	handle(SIGUSR1, on_signal);
	for (int sig = SIGRTMIN; sig <= SIGRTMAX; sig++)
		handle(sig, on_signal);
	cr_assert_eq(tick_signal(), 0);
	cr_assert_eq(rec->lost[LOST_NO_SIGNAL], 1);
	cr_assert_eq(host_sigset_claimed(EVERY), EVERY);
}
