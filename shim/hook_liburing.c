/*
 * liburing's waits, as those of a loop. They return errors as negative numbers
 * and leave errno alone. One that a tick broke is continued by one that takes a
 * signal mask (lib/sigsafe/loops/wait.h) and submits nothing.
 *
 * Its functions call each other, by names that we stand in for: such an inner
 * wait is part of the outer one.
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <string.h>

#include "hook.h"
#include "hook_child.h"
#include "hook_left.h"
#include "hook_raw_wait.h"
#include "uring_library.h"

#define X(result, name, parameters, version)                                   \
	HOOK_OF_BEFORE(name, name, version);
HOOKS_URING(X)
#undef X
#define X(name, version) HOOK_OF_BEFORE(name, name, version);
HOOKS_URING_ENTER(X)
#undef X

/* Where the wait was called that lasts; 0: none does. */
static __thread uintptr_t outer_sp;

/* One that was left by longjmp lasts no more: then others are made above it. */
static bool is_inner(const struct call_site *from)
{
	return thread_self.waiting && from->sp < outer_sp;
}

static uint64_t begin(const struct io_uring *ring, struct call_site from)
{
	struct sitting sitting = sitting_epoll(from, ring->ring_fd, false);

	start_if_forked();
	outer_sp = from.sp;
	return wait_begin(CALL_IO_URING_ENTER, &sitting);
}

/* How many events there are it does not tell. */
static int end(int got)
{
	outer_sp = 0;
	wait_end(0);
	return got;
}

static bool was_broken(int got)
{
	return unlikely(thread_self.tick_broke_wait) && got == -EINTR;
}

static sigset_t *mask_to_go_on(sigset_t *hosts)
{
	return (sigset_t *)(uintptr_t)wait_mask(hosts);
}

HOOK int __io_uring_get_cqe(struct io_uring *ring, struct io_uring_cqe **cqe,
			    unsigned submit, unsigned least, sigset_t *mask)
{
	struct call_site from = CALL_SITE_HERE;
	int got;

	if (!least || is_inner(&from))
		return uring_library()->__io_uring_get_cqe(ring, cqe, submit,
							   least, mask);
	begin(ring, from);
	got = uring_library()->__io_uring_get_cqe(ring, cqe, submit, least,
						  mask);
	while (was_broken(got))
		got = uring_library()->__io_uring_get_cqe(ring, cqe, 0, least,
							  mask_to_go_on(mask));
	return end(got);
}

/* What is waited for, and until when. */
struct want {
	struct io_uring *ring;
	struct io_uring_cqe **cqe;
	unsigned least;
	struct __kernel_timespec *timeout;
	sigset_t *mask;
};

/* Goes on until the time is up that began then. */
static int go_on(const struct want *want, uint64_t begun_ns)
{
	uint64_t timeout_ns =
		timespec_ns((const struct timespec *)want->timeout);
	struct timespec left;
	int got;

	do
		got = uring_library()->io_uring_wait_cqes(
			want->ring, want->cqe, want->least,
			(struct __kernel_timespec *)(uintptr_t)left_of(
				begun_ns, timeout_ns, &left),
			mask_to_go_on(want->mask));
	while (was_broken(got));
	return got;
}

/*
 * The wait has returned got. Broken when it had submitted something, it tells
 * how much and no error.
 */
static int end_or_go_on(const struct want *want, uint64_t begun_ns, int got)
{
	int again;

	thread_self.wait_submits = false;
	if (likely(!was_broken(got) &&
		   !(got > 0 && thread_self.tick_broke_wait)))
		return end(got);
	again = go_on(want, begun_ns);
	return end(got > 0 ? got : again);
}

typedef int timed_wait(struct io_uring *, struct io_uring_cqe **, unsigned,
		       struct __kernel_timespec *, sigset_t *);

/* submits: and tells how much, where it was broken. */
static int wait_timed(timed_wait *wait, bool submits, const struct want *want,
		      struct call_site from)
{
	bool inner = is_inner(&from);
	uint64_t begun_ns = 0;
	int got;

	if (!inner) {
		begun_ns = begin(want->ring, from);
		thread_self.wait_submits = submits;
	}
	got = wait(want->ring, want->cqe, want->least, want->timeout,
		   want->mask);
	return inner ? got : end_or_go_on(want, begun_ns, got);
}

HOOK int io_uring_wait_cqes(struct io_uring *ring, struct io_uring_cqe **cqe,
			    unsigned least, struct __kernel_timespec *timeout,
			    sigset_t *mask)
{
	const struct want want = { ring, cqe, least, timeout, mask };

	return wait_timed(uring_library()->io_uring_wait_cqes, false, &want,
			  CALL_SITE_HERE);
}

HOOK int io_uring_submit_and_wait_timeout(struct io_uring *ring,
					  struct io_uring_cqe **cqe,
					  unsigned least,
					  struct __kernel_timespec *timeout,
					  sigset_t *mask)
{
	const struct want want = { ring, cqe, least, timeout, mask };

	/* Without a time-out it waits on by itself where it was broken. */
	return wait_timed(uring_library()->io_uring_submit_and_wait_timeout,
			  timeout, &want, CALL_SITE_HERE);
}

HOOK int io_uring_submit_and_wait(struct io_uring *ring, unsigned least)
{
	struct io_uring_cqe *cqe;
	const struct want want = { ring, &cqe, least, NULL, NULL };
	struct call_site from = CALL_SITE_HERE;
	uint64_t begun_ns;

	if (!least || is_inner(&from))
		return uring_library()->io_uring_submit_and_wait(ring, least);
	begun_ns = begin(ring, from);
	thread_self.wait_submits = true;
	return end_or_go_on(
		&want, begun_ns,
		uring_library()->io_uring_submit_and_wait(ring, least));
}

/* The system call itself, with another way to tell an error. */
static int enter(const long *a, struct call_site from)
{
	int before = errno;
	long got = uring_waits(a) ? uring_wait(a, from)
				  : syscall(SYS_io_uring_enter, a[0], a[1],
					    a[2], a[3], a[4], a[5]);

	if (got < 0)
		got = -errno;
	errno = before;
	return (int)got;
}

HOOK int io_uring_enter2(unsigned ring, unsigned submit, unsigned least,
			 unsigned flags, sigset_t *mask, size_t mask_bytes)
{
	const long a[] = { ring,  submit,     least,
			   flags, (long)mask, (long)mask_bytes };

	return enter(a, CALL_SITE_HERE);
}

HOOK int io_uring_enter(unsigned ring, unsigned submit, unsigned least,
			unsigned flags, sigset_t *mask)
{
	const long a[] = { ring,  submit,     least,
			   flags, (long)mask, (long)sizeof(kernel_sigset) };

	return enter(a, CALL_SITE_HERE);
}
