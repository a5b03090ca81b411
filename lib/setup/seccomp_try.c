/*
 * A child makes the same call: the kernel looks at more than can be told in
 * advance, from rights to each instruction of a filter. No signal is sent when
 * it ends, and no other wait of the program's sees it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/seccomp_try.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "base/atomic.h"
#include "base/units.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/memory.h"
#include "sigsafe/os/sys.h"

/* A child that has not answered by then is given up. */
#define PATIENCE_NS NS_PER_S
#define STEP_NS	    (50 * NS_PER_US)

enum answer {
	ANSWER_NONE,
	ANSWER_DONE,
	ANSWER_REFUSED
};

/*
 * Once it is shut in it may make no call, perhaps not even to end: so it is
 * killed, by its parent or when that is gone.
 */
static void answer(uint32_t *to, long number, const long *a)
{
	long result;

	sys2(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
	result = sys3(number, a[0], a[1], a[2]);
	store_release(to, sys_failed(result) ? ANSWER_REFUSED : ANSWER_DONE);
	for (;;)
		machine_relax();
}

static bool has_ended(long child, int options)
{
	return sys4(SYS_wait4, child, NULL, __WALL | options, NULL) == child;
}

/* The child is no more when this returns, if anybody has killed it or not. */
static void wait_for_answer(const uint32_t *from, long child)
{
	const struct timespec step = { .tv_nsec = STEP_NS };
	uint64_t until_ns = clock_now_ns() + PATIENCE_NS;

	while (!load_acquire(from) && clock_now_ns() < until_ns) {
		if (has_ended(child, WNOHANG))
			return;
		sys2(SYS_nanosleep, &step, NULL);
	}
	sys3(SYS_tgkill, child, child, SIGKILL);
	has_ended(child, 0);
}

static enum answer ask(uint32_t *word, long number, const long *arguments)
{
	long child = sys6(SYS_clone, 0, 0, 0, 0, 0, 0);

	if (child == 0)
		answer(word, number, arguments);
	if (child > 0)
		wait_for_answer(word, child);
	return load_acquire(word);
}

bool seccomp_is_refused(long number, const long *arguments)
{
	const kernel_sigset all = ~(kernel_sigset)0;
	enum answer got;
	kernel_sigset before;
	long word;

	/* Under a filter that is there already clone may not be called. */
	if (sys1(SYS_prctl, PR_GET_SECCOMP))
		return false;
	word = sys6(SYS_mmap, 0, PAGE_BYTES, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (sys_failed(word))
		return false;
	/* The program's handlers are not to run in the child. */
	sys_sigprocmask(SIG_SETMASK, &all, &before);
	got = ask((uint32_t *)word, number, arguments);
	sys_sigprocmask(SIG_SETMASK, &before, NULL);
	sys2(SYS_munmap, word, PAGE_BYTES);
	return got == ANSWER_REFUSED;
}
