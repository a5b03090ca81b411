/*
 * A process whose signals have been taken over.
 *
 * SPDX-License-Identifier: MIT
 */
#include "signal_fixture.h"

#include <criterion/criterion.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sigsafe/live.h"
#include "sigsafe/signals/disposition.h"
#include "sigsafe/signals/host_signal.h"
#include "sigsafe/signals/signal_entry.h"
#include "sigsafe/thread.h"

#define PAGE_BYTES 4096

static int *said; /* shared with children: a sum of signal numbers */

static void last_words(int sig)
{
	__atomic_fetch_add(said, sig, __ATOMIC_RELAXED);
}

struct recording *signals_start(int chosen)
{
	static struct recording recording;
	void *page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	said = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	cr_assert(page != MAP_FAILED && said != MAP_FAILED);
	cr_assert_eq(madvise(page, PAGE_BYTES, MADV_WIPEONFORK), 0);
	live_page = page;
	live_begin(&recording);
	host_signal_start(chosen, last_words, sigaction);
	return &recording;
}

void send_tick(int sig)
{
	siginfo_t info = { .si_signo = sig, .si_code = SI_TIMER };

	info.si_value.sival_ptr = &thread_self;
	cr_assert_eq(
		sys4(SYS_rt_tgsigqueueinfo, getpid(), sys_gettid(), sig, &info),
		0);
}

int status_of_child(void (*function)(void))
{
	const struct timespec limit = { .tv_sec = 10 };
	sigset_t child_ended;
	pid_t child;
	int status;

	sigemptyset(&child_ended);
	sigaddset(&child_ended, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child_ended, NULL);
	child = fork();
	if (!child) {
		function();
		_exit(0);
	}
	if (sigtimedwait(&child_ended, NULL, &limit) < 0)
		kill(child, SIGKILL);
	cr_assert_eq(waitpid(child, &status, 0), child);
	return status;
}

int last_words_said(void)
{
	return __atomic_load_n(said, __ATOMIC_RELAXED);
}

struct sigaction told(int sig)
{
	struct sigaction act;

	cr_assert_eq(host_sigaction(sig, NULL, &act), 0);
	return act;
}

void handle(int sig, void (*handler)(int))
{
	struct sigaction act = { .sa_handler = handler };

	cr_assert_eq(host_sigaction(sig, &act, NULL), 0);
}

bool is_caught(int sig)
{
	struct disposition now;

	cr_assert_eq(
		sys4(SYS_rt_sigaction, sig, NULL, &now, sizeof(kernel_sigset)),
		0);
	return now.handler == signal_entry;
}
