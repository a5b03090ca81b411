/*
 * Sent signals of faults: kept in a section of ours, and there again after it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "machine_fixture.h"
#include "signal_fixture.h"
#include "sigsafe/signals/host_signal.h"
#include "sigsafe/signals/quiet.h"

TestSuite(sent_fault, .timeout = 60);

static volatile int handled, code;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)context;
	handled += sig;
	code = info->si_code;
}

static void handle_fault(int sig)
{
	const struct sigaction act = { .sa_sigaction = on_fault,
				       .sa_flags = SA_SIGINFO };

	cr_assert_eq(sigaction(sig, &act, NULL), 0);
}

static siginfo_t sent(int sig, int how)
{
	return (siginfo_t){ .si_signo = sig,
			    .si_code = how,
			    .si_pid = getpid() };
}

Test(sent_fault, it_comes_once_with_the_mask_that_is_set_next)
{
	siginfo_t segv = sent(SIGSEGV, SI_TKILL), bus = sent(SIGBUS, SI_USER);

	handle_fault(SIGSEGV);
	handle_fault(SIGBUS);
	cr_assert(sent_fault_keep(&segv) && sent_fault_keep(&segv));
	cr_assert_eq(handled, 0);
	sent_faults_settle();
	cr_assert_eq(handled, SIGSEGV);
	cr_assert_eq(code, SI_TKILL);
	cr_assert(sent_fault_keep(&bus));
	sent_faults_settle();
	cr_assert_eq(handled, SIGSEGV + SIGBUS);
	cr_assert_eq(code, SI_USER);
	sent_faults_settle();
	cr_assert_eq(handled, SIGSEGV + SIGBUS);
}

static void *settle(void *none)
{
	sent_faults_settle();
	return none;
}

Test(sent_fault, it_is_no_other_threads)
{
	siginfo_t info = sent(SIGSEGV, SI_TKILL);
	pthread_t thread;

	handle_fault(SIGSEGV);
	cr_assert(sent_fault_keep(&info));
	cr_assert_eq(pthread_create(&thread, NULL, settle, NULL), 0);
	pthread_join(thread, NULL);
	cr_assert_eq(handled, 0);
	sent_faults_settle();
	cr_assert_eq(handled, SIGSEGV);
}

Test(sent_fault, after_a_fork_it_is_none_of_the_childs)
{
	siginfo_t info = sent(SIGSEGV, SI_TKILL);

	handle_fault(SIGSEGV);
	cr_assert(sent_fault_keep(&info));
	sent_faults_reset();
	sent_faults_settle();
	cr_assert_eq(handled, 0);
}

static void *keep_one(void *is_kept)
{
	siginfo_t info = sent(SIGSEGV, SI_TKILL);

	*(bool *)is_kept = sent_fault_keep(&info);
	return NULL;
}

Test(sent_fault, no_more_are_kept_than_there_is_room_for)
{
	pthread_t thread;
	bool is_kept;

	for (unsigned i = 0; i <= SENT_FAULTS; i++) {
		cr_assert_eq(pthread_create(&thread, NULL, keep_one, &is_kept),
			     0);
		pthread_join(thread, NULL);
		cr_assert_eq(is_kept, i < SENT_FAULTS);
	}
}

static void raise_in_section(void)
{
	struct quiet outer = quiet_begin(), inner = quiet_begin();
	int before = handled;

	raise(SIGSEGV);
	cr_assert_eq(handled, before);
	quiet_end(&inner);
	cr_assert_eq(handled, before);
	quiet_end(&outer);
}

/* In libc, too, which knows nothing of sections. */
Test(sent_fault, in_a_section_it_waits_for_the_end_of_all)
{
	struct sigaction act = { .sa_sigaction = on_fault,
				 .sa_flags = SA_SIGINFO };

	NOT_EMULATED("masks lack some of its own signals");
	signals_start(0);
	cr_assert_eq(host_sigaction(SIGSEGV, &act, NULL), 0);
	for (int i = 1; i <= 3; i++) {
		raise_in_section();
		cr_assert_eq(handled, i * SIGSEGV);
	}
}
