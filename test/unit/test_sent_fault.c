/*
 * Sent signals of faults: kept in a section of ours, and there again after it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "machine_fixture.h"
#include "signal_fixture.h"
#include "sigsafe/signals/host_mask.h"
#include "sigsafe/signals/host_signal.h"
#include "sigsafe/signals/quiet.h"

TestSuite(sent_fault, .timeout = 60);

#define SENT_ANEW "signals that pend are the emulator's, not the kernel's"

static atomic_int handled, code;
static _Atomic(pthread_t) handled_by;

/* What another thread waits for comes last. */
static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)context;
	code = info->si_code;
	handled_by = pthread_self();
	handled += sig;
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
	sent_faults_settle(0);
	cr_assert_eq(handled, SIGSEGV);
	cr_assert_eq(code, SI_TKILL);
	cr_assert(sent_fault_keep(&bus));
	sent_faults_settle(0);
	cr_assert_eq(handled, SIGSEGV + SIGBUS);
	cr_assert_eq(code, SI_USER);
	sent_faults_settle(0);
	cr_assert_eq(handled, SIGSEGV + SIGBUS);
}

static void *settle(void *none)
{
	sent_faults_settle(0);
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
	sent_faults_settle(0);
	cr_assert_eq(handled, SIGSEGV);
}

Test(sent_fault, after_a_fork_it_is_none_of_the_childs)
{
	siginfo_t info = sent(SIGSEGV, SI_TKILL);

	handle_fault(SIGSEGV);
	cr_assert(sent_fault_keep(&info));
	sent_faults_reset();
	sent_faults_settle(0);
	cr_assert_eq(handled, 0);
}

static atomic_bool is_over;

/* Has every signal open, as the host's threads do. */
static void *stand_by(void *none)
{
	while (!atomic_load(&is_over))
		usleep(100);
	return none;
}

static void settle_beside_another(int how, kernel_sigset hosts)
{
	siginfo_t info = sent(SIGSEGV, how);
	pthread_t other;

	handle_fault(SIGSEGV);
	cr_assert_eq(pthread_create(&other, NULL, stand_by, NULL), 0);
	sys_sigprocmask(SIG_SETMASK, &hosts, NULL);
	cr_assert(sent_fault_keep(&info));
	sent_faults_settle(hosts);
	for (int i = 0; i < 10000 && !handled; i++)
		usleep(100);
	cr_assert_eq(handled, SIGSEGV);
	cr_assert_eq(code, how);
	cr_assert_eq(pthread_equal(handled_by, other), hosts != 0);
	atomic_store(&is_over, true);
	pthread_join(other, NULL);
}

Test(sent_fault, queued_it_comes_to_the_thread_it_had_come_to)
{
	settle_beside_another(SI_QUEUE, 0);
}

Test(sent_fault, the_processs_comes_to_the_thread_it_had_come_to)
{
	settle_beside_another(SI_USER, 0);
}

Test(sent_fault, the_processs_is_anybodys_where_the_host_blocks_it)
{
	NOT_EMULATED(SENT_ANEW);
	settle_beside_another(SI_USER, SIGNAL_BIT(SIGSEGV));
}

/* What pends for this thread, and not for the process. */
static kernel_sigset pending_here(void)
{
	FILE *status = fopen("/proc/thread-self/status", "r");
	kernel_sigset set = 0;
	char line[256];

	cr_assert(status);
	while (fgets(line, sizeof(line), status))
		sscanf(line, "SigPnd: %" SCNx64, &set);
	fclose(status);
	return set;
}

Test(sent_fault, queued_it_pends_here_if_the_host_queues_for_threads)
{
	const kernel_sigset fault = SIGNAL_BIT(SIGSEGV);
	siginfo_t info = sent(SIGSEGV, SI_QUEUE);

	NOT_EMULATED(SENT_ANEW);
	handle_fault(SIGSEGV);
	sent_faults_are_queued();
	sys_sigprocmask(SIG_BLOCK, &fault, NULL);
	cr_assert(sent_fault_keep(&info));
	sent_faults_settle(fault);
	cr_assert_eq(pending_here(), fault);
	sys_sigprocmask(SIG_UNBLOCK, &fault, NULL);
	cr_assert_eq(handled, SIGSEGV);
}

Test(sent_fault, the_threads_and_the_processs_both_come)
{
	siginfo_t to_process = sent(SIGSEGV, SI_USER);
	siginfo_t to_thread = sent(SIGSEGV, SI_TKILL);

	NOT_EMULATED(SENT_ANEW);
	handle_fault(SIGSEGV);
	cr_assert(sent_fault_keep(&to_process) && sent_fault_keep(&to_thread));
	sent_faults_settle(0);
	cr_assert_eq(handled, 2 * SIGSEGV);
}

static void assert_pending(kernel_sigset set)
{
	cr_assert_eq(host_pending(0, sent_faults_pending()), set);
}

Test(sent_fault, while_it_is_kept_the_processs_pends_where_it_is_blocked)
{
	const kernel_sigset faults = FAULT_SIGNALS;
	siginfo_t segv = sent(SIGSEGV, SI_USER), bus = sent(SIGBUS, SI_TKILL);

	NOT_EMULATED(SENT_ANEW);
	signals_start(0);
	cr_assert(sent_fault_keep(&segv) && sent_fault_keep(&bus));
	assert_pending(0);
	cr_assert_eq(host_sigmask(SIG_BLOCK, &faults, NULL), 0);
	assert_pending(SIGNAL_BIT(SIGSEGV));
	sent_faults_settle(faults);
	assert_pending(0);
	/* It may have been sent since the kernel was asked. */
	cr_assert_eq(host_pending(0, SIGNAL_BIT(SIGSEGV)), SIGNAL_BIT(SIGSEGV));
}

static sigjmp_buf way_out;

static void jump(int sig)
{
	handled += sig;
	siglongjmp(way_out, 1);
}

Test(sent_fault, its_handler_may_jump_out)
{
	siginfo_t info = sent(SIGSEGV, SI_QUEUE);

	signal(SIGSEGV, jump);
	for (volatile int i = 1; i <= 3; i++) {
		if (!sigsetjmp(way_out, 1)) {
			cr_assert(sent_fault_keep(&info));
			sent_faults_settle(0);
			cr_assert_fail("it did not come");
		}
		cr_assert_eq(handled, i * SIGSEGV);
		cr_assert_eq(load_relaxed(&sent_faults_kept), 0);
	}
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
