/*
 * Signals as the host sees them: its handlers, and what it is told.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine_fixture.h"
#include "signal_fixture.h"
#include "sigsafe/os/process.h"
#include "sigsafe/signals/host_signal.h"
#include "sigsafe/thread.h"

static volatile int handled; /* signals the host's handlers got, summed up */
static volatile int code;    /* si_code of the last */

static void on_signal(int sig)
{
	handled += sig;
}

static void on_info(int sig, siginfo_t *info, void *context)
{
	(void)context;
	handled += sig;
	code = info->si_code;
}

Test(host_signal, a_handler_gets_the_signals_of_the_host)
{
	struct sigaction act = { .sa_flags = SA_SIGINFO };

	signals_start(0);
	act.sa_sigaction = on_info;
	cr_assert_eq(host_sigaction(SIGUSR2, &act, NULL), 0);
	handle(SIGUSR1, on_signal);
	raise(SIGUSR2);
	cr_assert_eq(handled, SIGUSR2);
	cr_assert_eq(code, SI_TKILL);
	raise(SIGUSR1);
	cr_assert_eq(handled, SIGUSR2 + SIGUSR1);
	cr_assert_eq(thread_self.host_handlers, 2);
	cr_assert_eq(thread_self.handler_depth, 0);
}

Test(host_signal, a_timer_of_the_host_is_the_hosts)
{
	siginfo_t info = { .si_signo = SIGUSR1, .si_code = SI_TIMER };

	signals_start(0);
	handle(SIGUSR1, on_signal);
	info.si_value.sival_ptr = &info;
	cr_assert_eq(sys4(SYS_rt_tgsigqueueinfo, getpid(), sys_gettid(),
			  SIGUSR1, &info),
		     0);
	cr_assert_eq(handled, SIGUSR1);
}

Test(host_signal, the_host_is_told_of_no_handler_of_ours)
{
	static const int caught[] = { SIGUSR1, SIGINT, SIGTERM, SIGHUP };

	signals_start(0);
	for (size_t i = 0; i < ARRAY_SIZE(caught); i++) {
		struct sigaction act = told(caught[i]);

		cr_assert(is_caught(caught[i]));
		cr_assert_eq(act.sa_handler, SIG_DFL);
		cr_assert_eq(act.sa_flags, 0);
		cr_assert(sigisemptyset(&act.sa_mask));
	}
}

/* By libc's name, which sanitizers leave alone. */
extern int __sigaction(int sig, const struct sigaction *act,
		       struct sigaction *old);

/* What the kernel reports of a disposition, natively and through us. */
static void assert_round_trip(const struct sigaction *act)
{
	struct sigaction native, ours;

	cr_assert_eq(__sigaction(SIGUSR2, act, NULL), 0);
	cr_assert_eq(__sigaction(SIGUSR2, NULL, &native), 0);
	cr_assert_eq(host_sigaction(SIGUSR2, act, NULL), 0);
	ours = told(SIGUSR2);
	cr_assert_eq(ours.sa_handler, native.sa_handler);
	cr_assert_eq(ours.sa_flags, native.sa_flags);
	cr_assert_eq(ours.sa_restorer, native.sa_restorer);
	cr_assert_eq(
		memcmp(&ours.sa_mask, &native.sa_mask, sizeof(kernel_sigset)),
		0);
}

Test(host_signal, a_disposition_comes_back_as_natively)
{
	static const int flags[] = { 0,
				     SA_RESTART,
				     SA_SIGINFO | SA_ONSTACK,
				     SA_NODEFER | (int)SA_RESETHAND,
				     SA_NOCLDSTOP | SA_NOCLDWAIT,
				     SA_INTERRUPT | 0x10 };
	struct sigaction act;

	NOT_EMULATED("SIGKILL stays in a mask");
	signals_start(0);
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		act.sa_flags = flags[i];
		sigfillset(&act.sa_mask);
		act.sa_handler = on_signal;
		assert_round_trip(&act);
		act.sa_handler = SIG_IGN;
		assert_round_trip(&act);
		sigemptyset(&act.sa_mask);
		sigaddset(&act.sa_mask, SIGTERM);
		act.sa_handler = SIG_DFL;
		assert_round_trip(&act);
	}
}

Test(host_signal, what_was_there_before_us_is_told)
{
	struct sigaction act = { .sa_handler = on_signal,
				 .sa_flags = SA_RESTART };

	cr_assert_eq(__sigaction(SIGUSR2, &act, NULL), 0);
	signals_start(0);
	cr_assert_eq(told(SIGUSR2).sa_handler, on_signal);
	raise(SIGUSR2);
	cr_assert_eq(handled, SIGUSR2);
}

Test(host_signal, numbers_that_libc_refuses_are_refused)
{
	static const int bad[] = { -1, 0, 32, 33, 65, 1 << 20 };
	struct sigaction act = { .sa_handler = SIG_IGN };

	signals_start(0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		cr_assert_eq(host_sigaction(bad[i], &act, NULL), -EINVAL);
	cr_assert_eq(host_sigaction(SIGKILL, &act, NULL), -EINVAL);
	cr_assert_eq(host_sigaction(SIGKILL, NULL, NULL), 0);
}

Test(host_signal, ignored_at_the_start_stays_ignored)
{
	signal(SIGHUP, SIG_IGN);
	signals_start(0);
	cr_assert_eq(told(SIGHUP).sa_handler, SIG_IGN);
	raise(SIGHUP);
}

static void reset_and_raise(void)
{
	handle(SIGUSR2, SIG_DFL);
	cr_assert_eq(told(SIGUSR2).sa_handler, SIG_DFL);
	raise(SIGUSR2);
}

Test(host_signal, a_forked_child_has_dispositions_of_its_own)
{
	int status;

	signals_start(0);
	handle(SIGUSR2, on_signal);
	status = status_of_child(reset_and_raise);
	cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR2);
	cr_assert_eq(told(SIGUSR2).sa_handler, on_signal);
}

/* As a vfork child; its own dispositions change, and it exits with 0. */
static int be_a_guest(void *unused)
{
	(void)unused;
	handle(SIGUSR2, SIG_IGN);
	handle(SIGUSR1, SIG_DFL);
	handle(SIGUSR1, SIG_IGN);
	return process_memory() == 0 && told(SIGUSR2).sa_handler == SIG_IGN ? 0
									    : 1;
}

Test(host_signal, a_vfork_child_leaves_its_parents_dispositions)
{
	static char stack[1 << 16] __attribute__((aligned(16)));
	int status;
	pid_t child;

	signals_start(0);
	handle(SIGUSR2, on_signal);
	child = clone(be_a_guest, stack + sizeof(stack),
		      CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
	cr_assert_eq(tick_signal(), SIGUSR1);
	cr_assert_eq(told(SIGUSR2).sa_handler, on_signal);
	raise(SIGUSR2);
	cr_assert_eq(handled, SIGUSR2);
	send_tick(SIGUSR1);
}
