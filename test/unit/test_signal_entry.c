/*
 * The kernel's handler: how the host dies, and handlers that do not just
 * return.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/wait.h>

#include "machine_fixture.h"
#include "signal_fixture.h"
#include "sigsafe/signals/host_mask.h"
#include "sigsafe/signals/host_signal.h"
#include "sigsafe/signals/signal_entry.h"

static volatile int handled; /* signals the host's handlers got, summed up */
static sigjmp_buf landing;

static void on_signal(int sig)
{
	handled += sig;
}

static void jump_out(int sig)
{
	siglongjmp(landing, sig);
}

static void raise_usr1(void)
{
	raise(SIGUSR1);
}

static void raise_term_unblocked_by_none(void)
{
	kernel_sigset all = ~UINT64_C(0), term = SIGNAL_BIT(SIGTERM);

	cr_assert_eq(host_sigmask(SIG_SETMASK, &all, NULL), 0);
	raise(SIGTERM);
	cr_assert_eq(host_sigmask(SIG_UNBLOCK, &term, NULL), 0);
}

Test(signal_entry, a_default_death_has_its_own_number_and_last_words)
{
	int status;

	NOT_EMULATED(NO_WIPE);
	signals_start(0);
	status = status_of_child(raise_usr1);
	cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1);
	cr_assert_eq(last_words_said(), SIGUSR1);
	status = status_of_child(raise_term_unblocked_by_none);
	cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	cr_assert_eq(last_words_said(), SIGUSR1 + SIGTERM);
}

static void *raise_at(void *barrier)
{
	pthread_barrier_wait(barrier);
	raise(SIGTERM);
	return NULL;
}

static void die_in_eight_threads(void)
{
	pthread_barrier_t barrier;
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 8);
	for (int i = 0; i < 7; i++)
		pthread_create(&thread, NULL, raise_at, &barrier);
	raise_at(&barrier);
}

Test(signal_entry, many_threads_die_with_one_last_word)
{
	NOT_EMULATED(NO_WIPE);
	signals_start(0);
	for (int i = 1; i <= 50; i++) {
		int status = status_of_child(die_in_eight_threads);

		cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
		cr_assert_eq(last_words_said(), i * SIGTERM);
	}
}

Test(signal_entry, what_the_default_ignores_kills_nobody)
{
	signals_start(SIGWINCH);
	cr_assert_eq(tick_signal(), SIGWINCH);
	raise(SIGWINCH);
	cr_assert_eq(last_words_said(), 0);
}

static void raise_twice(void)
{
	raise(SIGUSR1);
	raise(SIGUSR1);
}

/*
 * The host may have gone back to the default while the signal was on its way.
 * A group of its own: the kernel does not stop one that nobody could continue.
 */
static _Noreturn void be_stopped(void)
{
	siginfo_t info = { .si_signo = SIGTSTP };
	ucontext_t context;

	setpgid(0, 0);
	getcontext(&context);
	signal_entry(SIGTSTP, &info, &context);
	_exit(0);
}

Test(signal_entry, what_stops_by_default_stops_and_goes_on, .timeout = 30)
{
	int status;
	pid_t child;

	signals_start(0);
	child = fork();
	if (!child)
		be_stopped();
	cr_assert_eq(waitpid(child, &status, WUNTRACED), child);
	cr_assert(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTSTP);
	kill(child, SIGCONT);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
	cr_assert_eq(last_words_said(), 0);
}

Test(signal_entry, a_one_shot_handler_serves_once_and_no_tick)
{
	struct sigaction act = { .sa_flags = (int)SA_RESETHAND };
	int status;

	signals_start(0);
	act.sa_handler = on_signal;
	cr_assert_eq(host_sigaction(SIGUSR1, &act, NULL), 0);
	send_tick(SIGUSR1);
	cr_assert_eq(told(SIGUSR1).sa_handler, on_signal);
	status = status_of_child(raise_twice);
	cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1);
	raise(SIGUSR1);
	cr_assert_eq(handled, SIGUSR1);
	cr_assert_eq(told(SIGUSR1).sa_handler, SIG_DFL);
	send_tick(SIGUSR1);
}

Test(signal_entry, a_handler_may_jump_out)
{
	signals_start(0);
	handle(SIGUSR1, jump_out);
	for (int i = 0; i < 3; i++) {
		if (!sigsetjmp(landing, 1))
			raise(SIGUSR1);
		else
			handled++;
	}
	cr_assert_eq(handled, 3);
}
