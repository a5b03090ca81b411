/*
 * A tick in a wait: what it has broken is to be continued.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "machine_fixture.h"
#include "sigsafe/loops/wait.h"
#include "sigsafe/os/machine.h"

static void set_call_number(ucontext_t *uc, long number)
{
#ifdef __x86_64__
	uc->uc_mcontext.gregs[REG_RAX] = number;
#else
	uc->uc_mcontext.regs[8] = (unsigned long)number;
#endif
}

/* A signal waits there until the call that it should break is over. */
#if defined(__SANITIZE_THREAD__)
#define KEEPS_SIGNALS_BACK true
#else
#define KEEPS_SIGNALS_BACK false
#endif

TestSuite(wait_signal, .timeout = 10, .disabled = KEEPS_SIGNALS_BACK);

static long begun_anew; /* the number of the call that the kernel makes */
static int ends[2];

/* Makes a call that was begun anew of the read that is to be made again. */
static void tick(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	cr_assert_eq(context_call_again(context), SYS_read);
	if (write(ends[1], "x", 1) != 1)
		abort();
	set_call_number(context, begun_anew);
	wait_tick(&thread_self, context);
	*context_mask(context) = 0;
}

/* What a read returns that waits for events, and is ticked meanwhile. */
static ssize_t read_ticked(long number)
{
	struct sigaction act = { .sa_sigaction = tick,
				 .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGUSR2 };
	const struct itimerspec soon = { .it_value.tv_nsec = 20 * NS_PER_MS };
	timer_t timer;
	char byte;

	begun_anew = number;
	cr_assert_eq(pipe(ends), 0);
	sigaction(SIGUSR2, &act, NULL);
	cr_assert_eq(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	wait_goes_on(CALL_POLL);
	thread_self.mask_is_kept = false;
	timer_settime(timer, 0, &soon, NULL);
	return read(ends[0], &byte, 1);
}

/* It would return EINTR, as all such do behind a handler. */
Test(wait_signal, a_call_begun_anew_was_broken_by_the_tick)
{
	NOT_EMULATED(OWN_SIGNALS);
	cr_assert_eq(read_ticked(SYS_restart_syscall), -1);
	cr_assert_eq(errno, EINTR);
	cr_assert(wait_was_broken(-1));
}

Test(wait_signal, any_other_that_is_made_again_was_not)
{
	cr_assert_eq(read_ticked(SYS_read), 1);
	cr_assert_not(thread_self.tick_broke_wait);
}
