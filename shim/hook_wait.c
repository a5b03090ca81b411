/*
 * The waits that make a loop: epoll_wait, poll, select and their family. A
 * wait that a tick broke is continued by the member of its family that takes a
 * signal mask (lib/sigsafe/loops/wait.h says why).
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include <errno.h>

#include "hook_child.h"
#include "hook_left.h"
#include "hook_unwound.h"
#include "sigsafe/loops/wait.h"
#include "sigsafe/walk/walk.h"

static __attribute__((always_inline)) inline uint64_t
begin(enum blocking_call call, struct sitting *sitting)
{
	CLOSES_WAIT_UNWOUND;
	start_if_forked();
	return wait_begin(call, sitting);
}

/* Until it is measured a set counts for as large as the last one. */
static inline struct sitting select_sitting(struct call_site call, int n,
					    const fd_set *in, const fd_set *out,
					    const fd_set *err)
{
	struct sitting sitting = sitting_select(call, n, in, out, err);

	sitting.seat.size = thread_self.seat.size;
	return sitting;
}

/* In a hook: the seat it is called in, made where it stays: no copy. */
#define EPOLL EPOLL_FOR(-1)
#define EPOLL_FOR(timeout)                                                     \
	((struct sitting[]){ sitting_epoll(CALL_SITE_HERE, fd, !(timeout)) })
#define POLL ((struct sitting[]){ sitting_poll(CALL_SITE_HERE, fds, n) })
#define SELECT                                                                 \
	((struct sitting[]){ select_sitting(CALL_SITE_HERE, n, in, out, err) })

/* The kernel may lack epoll_pwait2; then up to the next whole millisecond. */
static CONTINUES_A_CALL int continue_epoll(uint64_t begun_ns, int fd,
					   struct epoll_event *events, int n,
					   uint64_t timeout_ns,
					   const sigset_t *mask)
{
	struct timespec left;
	uint64_t left_ms;
	int got;

	CLOSES_WAIT_UNWOUND;
	mask = wait_mask(mask);
	got = real.epoll_pwait2(fd, events, n,
				left_of(begun_ns, timeout_ns, &left), mask);
	if (got >= 0 || (errno != ENOSYS && errno != EPERM))
		return wait_forget_tick(got);
	left_ms = (wait_left_ns(begun_ns, timeout_ns) + NS_PER_MS - 1) /
		  NS_PER_MS;
	got = real.epoll_pwait(fd, events, n,
			       timeout_ns == FOR_EVER_NS ? -1 : (int)left_ms,
			       mask);
	return wait_forget_tick(got);
}

HOOK int epoll_wait(int fd, struct epoll_event *events, int n, int timeout)
{
	uint64_t begun_ns = begin(CALL_EPOLL_WAIT, EPOLL_FOR(timeout));
	int got = real.epoll_wait(fd, events, n, timeout);

	while (wait_was_broken(got))
		got = continue_epoll(begun_ns, fd, events, n, ms_ns(timeout),
				     NULL);
	wait_end(got);
	return got;
}

HOOK int epoll_pwait(int fd, struct epoll_event *events, int n, int timeout,
		     const sigset_t *mask)
{
	uint64_t begun_ns = begin(CALL_EPOLL_PWAIT, EPOLL_FOR(timeout));
	int got = real.epoll_pwait(fd, events, n, timeout, mask);

	while (wait_was_broken(got))
		got = continue_epoll(begun_ns, fd, events, n, ms_ns(timeout),
				     mask);
	wait_end(got);
	return got;
}

HOOK int epoll_pwait2(int fd, struct epoll_event *events, int n,
		      const struct timespec *timeout, const sigset_t *mask)
{
	uint64_t begun_ns = begin(CALL_EPOLL_PWAIT2, EPOLL);
	int got = real.epoll_pwait2(fd, events, n, timeout, mask);

	while (wait_was_broken(got))
		got = continue_epoll(begun_ns, fd, events, n,
				     timespec_ns(timeout), mask);
	wait_end(got);
	return got;
}

static CONTINUES_A_CALL int continue_poll(uint64_t begun_ns, struct pollfd *fds,
					  nfds_t n, uint64_t timeout_ns,
					  const sigset_t *mask)
{
	struct timespec left;

	CLOSES_WAIT_UNWOUND;
	return wait_forget_tick(real.ppoll(
		fds, n, left_of(begun_ns, timeout_ns, &left), wait_mask(mask)));
}

static cold int continue_plain_poll(uint64_t begun_ns, struct pollfd *fds,
				    nfds_t n, int timeout)
{
	wait_tick_at_end(begun_ns, ms_ns(timeout));
	return continue_poll(begun_ns, fds, n, ms_ns(timeout), NULL);
}

HOOK int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	uint64_t begun_ns = begin(CALL_POLL, POLL);
	int got = real.poll(fds, n, timeout);

	while (wait_was_broken(got))
		got = continue_plain_poll(begun_ns, fds, n, timeout);
	wait_end(got);
	return got;
}

HOOK_ALSO(poll, __poll);

HOOK int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
	       const sigset_t *mask)
{
	uint64_t begun_ns = begin(CALL_PPOLL, POLL);
	int got = real.ppoll(fds, n, timeout, mask);

	while (wait_was_broken(got))
		got = continue_poll(begun_ns, fds, n, timespec_ns(timeout),
				    mask);
	wait_end(got);
	return got;
}

/* Fortified: libc checks the room first, and aborts where it is too small. */
HOOK int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t size)
{
	uint64_t begun_ns = begin(CALL_POLL, POLL);
	int got = real.__poll_chk(fds, n, timeout, size);

	while (wait_was_broken(got))
		got = continue_plain_poll(begun_ns, fds, n, timeout);
	wait_end(got);
	return got;
}

HOOK int __ppoll_chk(struct pollfd *fds, nfds_t n,
		     const struct timespec *timeout, const sigset_t *mask,
		     size_t size)
{
	uint64_t begun_ns = begin(CALL_PPOLL, POLL);
	int got = real.__ppoll_chk(fds, n, timeout, mask, size);

	while (wait_was_broken(got))
		got = continue_poll(begun_ns, fds, n, timespec_ns(timeout),
				    mask);
	wait_end(got);
	return got;
}

static CONTINUES_A_CALL int continue_select(uint64_t begun_ns, int n,
					    fd_set *in, fd_set *out,
					    fd_set *err, uint64_t timeout_ns,
					    const sigset_t *mask)
{
	struct timespec left;

	CLOSES_WAIT_UNWOUND;
	/* A select that failed has left the sets as they were. */
	return wait_forget_tick(real.pselect(
		n, in, out, err, left_of(begun_ns, timeout_ns, &left),
		wait_mask(mask)));
}

/* Linux's select tells in its timeout what was left; of ages, nearly all. */
static void tell_left(uint64_t begun_ns, uint64_t timeout_ns,
		      struct timeval *timeout)
{
	uint64_t left_us = wait_left_ns(begun_ns, timeout_ns) / NS_PER_US;

	timeout->tv_sec = (time_t)(left_us / 1000000);
	timeout->tv_usec = (suseconds_t)(left_us % 1000000);
}

HOOK int select(int n, fd_set *in, fd_set *out, fd_set *err,
		struct timeval *timeout)
{
	uint64_t timeout_ns = timeval_ns(timeout);
	uint64_t begun_ns = begin(CALL_SELECT, SELECT);
	int got = real.select(n, in, out, err, timeout);

	while (wait_was_broken(got)) {
		got = continue_select(begun_ns, n, in, out, err, timeout_ns,
				      NULL);
		if (timeout && timeout_ns != FOR_EVER_NS)
			tell_left(begun_ns, timeout_ns, timeout);
	}
	wait_end(got);
	return got;
}

HOOK_ALSO(select, __select);

HOOK int pselect(int n, fd_set *in, fd_set *out, fd_set *err,
		 const struct timespec *timeout, const sigset_t *mask)
{
	uint64_t begun_ns = begin(CALL_PSELECT, SELECT);
	int got = real.pselect(n, in, out, err, timeout, mask);

	while (wait_was_broken(got))
		got = continue_select(begun_ns, n, in, out, err,
				      timespec_ns(timeout), mask);
	wait_end(got);
	return got;
}
