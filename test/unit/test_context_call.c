/*
 * What an interrupted context tells of system calls, asked in real signals.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/atomic.h"
#include "machine_fixture.h"
#include "sigsafe/os/machine.h"

TestSuite(context_call, .disabled = IS_SANITIZED);

static int ends[2];
static uint32_t signals;
static enum call_state state;
static long number;

static void look(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	state = context_call(context, &number);
	/* What waits in read() is to come back. */
	if (write(ends[1], "x", 1) != 1)
		abort();
	add_relaxed(&signals, 1);
}

static void watch_signals(int flags)
{
	struct sigaction act = { .sa_sigaction = look,
				 .sa_flags = SA_SIGINFO | flags };

	cr_assert_eq(pipe(ends), 0);
	sigaction(SIGUSR2, &act, NULL);
}

/* Sends the signal once its target has had time to fall asleep. */
static void *send_soon(void *target)
{
	const struct timespec soon = { .tv_nsec = 20 * NS_PER_MS };

	nanosleep(&soon, NULL);
	pthread_kill(*(pthread_t *)target, SIGUSR2);
	return NULL;
}

static pthread_t self;

static void begin(void)
{
	pthread_t sender;

	self = pthread_self();
	pthread_create(&sender, NULL, send_soon, &self);
	pthread_detach(sender);
}

Test(context_call, a_call_that_is_made_again_was_interrupted, .timeout = 10)
{
	char byte;

	watch_signals(SA_RESTART);
	begin();
	cr_assert_eq(read(ends[0], &byte, 1), 1);
	cr_assert_eq(signals, 1);
	cr_assert_eq(state, CALL_INTERRUPTED);
	cr_assert_eq(number, SYS_read);
}

Test(context_call, a_call_that_returns_eintr_was_interrupted, .timeout = 10)
{
	const struct timespec long_time = { .tv_sec = 9 };

	watch_signals(SA_RESTART);
	begin();
	cr_assert_eq(nanosleep(&long_time, NULL), -1);
	cr_assert_eq(state, CALL_INTERRUPTED);
	cr_assert(number == SYS_nanosleep || number == SYS_clock_nanosleep,
		  "%ld", number);
}

Test(context_call, a_call_that_has_returned_is_known, .timeout = 10)
{
	watch_signals(0);
	/* The signal is there before the call returns. */
	kill(getpid(), SIGUSR2);
	cr_assert_eq(signals, 1);
	cr_assert_eq(state, CALL_RETURNED);
	cr_assert_eq(number, SYS_kill);
}

Test(context_call, who_computes_is_outside, .timeout = 10)
{
	watch_signals(0);
	begin();
	while (!load_relaxed(&signals))
		;
	cr_assert_eq(state, CALL_OUTSIDE);
}

#ifdef __x86_64__
#define context_set_pc(uc, pc)                                                 \
	((uc)->uc_mcontext.gregs[REG_RIP] = (long long)(pc))
#else
#define context_set_pc(uc, to) ((uc)->uc_mcontext.pc = (to))
#endif

Test(context_call, code_before_the_page_is_not_looked_at)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *code = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ucontext_t uc = { 0 };

	cr_assert_eq(mprotect(code, page, PROT_NONE), 0);
	code += page;
	for (size_t i = 0; i < 40; i++) {
		context_set_pc(&uc, (uintptr_t)code + i);
		cr_assert_eq(context_call(&uc, &number), CALL_OUTSIDE);
	}
	context_set_pc(&uc, 0);
	cr_assert_eq(context_call(&uc, &number), CALL_OUTSIDE);
	context_set_pc(&uc, (uintptr_t)code - page);
	cr_assert_eq(context_call(&uc, &number), CALL_OUTSIDE);
}
