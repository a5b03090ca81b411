/*
 * Waits by liburing, with a timeout of ms (-1: none), and nothing to wait for:
 * 0, or -1 with errno.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef E2E_VICTIM_URING_WAITS_H
#define E2E_VICTIM_URING_WAITS_H

#include <errno.h>
#include <liburing.h>
#include <stdlib.h>

#include "victim.h"

/* A ring of its own for each thread. */
static struct io_uring *uring(void)
{
	static __thread struct io_uring ring;

	if (!ring.ring_fd && io_uring_queue_init(4, &ring, 0))
		exit(4);
	return &ring;
}

static struct __kernel_timespec *uring_time(int ms, struct __kernel_timespec *t)
{
	t->tv_sec = ms / 1000;
	t->tv_nsec = ms % 1000 * (long)NS_PER_MS;
	return ms < 0 ? NULL : t;
}

/* As libc tells it; a time that is up is an error there. */
static int uring_told(int got)
{
	if (got >= 0 || got == -ETIME)
		return 0;
	errno = -got;
	return -1;
}

static int uring_wait_cqe(int ms)
{
	struct __kernel_timespec t;
	struct io_uring_cqe *cqe;

	if (ms < 0)
		return uring_told(io_uring_wait_cqe(uring(), &cqe));
	return uring_told(
		io_uring_wait_cqe_timeout(uring(), &cqe, uring_time(ms, &t)));
}

static int uring_wait_cqes(int ms)
{
	struct __kernel_timespec t;
	struct io_uring_cqe *cqe;

	return uring_told(
		io_uring_wait_cqes(uring(), &cqe, 1, uring_time(ms, &t), NULL));
}

static int uring_submit_and_wait_timeout(int ms)
{
	struct __kernel_timespec t;
	struct io_uring_cqe *cqe;

	return uring_told(io_uring_submit_and_wait_timeout(
		uring(), &cqe, 1, uring_time(ms, &t), NULL));
}

/* Its time-out is an event. */
static int uring_submit_and_wait(int ms)
{
	struct __kernel_timespec t;
	struct io_uring_cqe *cqe;
	int got;

	if (ms >= 0)
		io_uring_prep_timeout(io_uring_get_sqe(uring()),
				      uring_time(ms, &t), 0, 0);
	got = io_uring_submit_and_wait(uring(), 1);
	if (got > 0 && io_uring_peek_cqe(uring(), &cqe))
		got = -EDOM;
	else if (got > 0)
		io_uring_cqe_seen(uring(), cqe);
	return uring_told(got);
}

/*
 * Submits what completes at once, and waits for two: that it was broken then
 * shows in nothing but its time.
 */
static int uring_submit_one(int ms)
{
	struct __kernel_timespec t;
	struct io_uring_cqe *cqe;
	int got;

	io_uring_prep_nop(io_uring_get_sqe(uring()));
	got = io_uring_submit_and_wait_timeout(uring(), &cqe, 2,
					       uring_time(ms, &t), NULL);
	if (got == 1 && io_uring_peek_cqe(uring(), &cqe))
		got = -EDOM;
	else if (got == 1)
		io_uring_cqe_seen(uring(), cqe);
	return uring_told(got);
}

static int uring_enter(int ms)
{
	struct __kernel_timespec t;
	struct io_uring_getevents_arg argument = {
		.ts = (uintptr_t)uring_time(ms, &t),
	};
	unsigned ring = (unsigned)uring()->ring_fd;

	if (ms < 0)
		return uring_told(io_uring_enter(ring, 0, 1,
						 IORING_ENTER_GETEVENTS, NULL));
	return uring_told(io_uring_enter2(
		ring, 0, 1, IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG,
		(sigset_t *)&argument, sizeof(argument)));
}

#define URING_WAITS(X)                                                         \
	X(uring_wait_cqe)                                                      \
	X(uring_wait_cqes)                                                     \
	X(uring_submit_and_wait)                                               \
	X(uring_submit_and_wait_timeout)                                       \
	X(uring_submit_one)                                                    \
	X(uring_enter)

#endif
