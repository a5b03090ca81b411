/*
 * Ticks as the shim's own.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tick_fixture.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "base/atomic.h"
#include "sigsafe/os/sys.h"
#include "sigsafe/walk/stack.h"

#define ALTERNATE_BYTES (64u << 10)

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static uint32_t ticks;

int fixture_tick_signal(void)
{
	return SIGRTMIN;
}

uint32_t fixture_ticks(void)
{
	return load_acquire(&ticks);
}

static void on_tick(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	if (stack_capture(context, NULL))
		add_relaxed(&ticks, 1);
}

void fixture_handle_ticks(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_RESTART |
						SA_ONSTACK };

	action.sa_sigaction = on_tick;
	memset(&action.sa_mask, 0xff, sizeof(action.sa_mask));
	cr_assert_eq(sigaction(fixture_tick_signal(), &action, NULL), 0);
}

timer_t fixture_start_ticks(uint64_t period_ns)
{
	const struct timespec period = { .tv_nsec = (long)period_ns };
	const struct itimerspec when = { period, period };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID };
	stack_t stack = { .ss_size = ALTERNATE_BYTES };
	timer_t timer;

	stack.ss_sp = mmap(NULL, ALTERNATE_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_eq(sigaltstack(&stack, NULL), 0);
	event.sigev_signo = fixture_tick_signal();
	event.sigev_notify_thread_id = sys_gettid();
	cr_assert_eq(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	cr_assert_eq(timer_settime(timer, 0, &when, NULL), 0);
	return timer;
}

void fixture_stop_ticks(timer_t timer)
{
	timer_delete(timer);
}
