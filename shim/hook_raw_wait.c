/*
 * Waits for events by syscall(2). One that a tick broke is continued by a call
 * that takes a signal mask (lib/sigsafe/wait.h), made by syscall(2) as well, so
 * that it is no cancellation point either.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook_raw_wait.h"

#include <errno.h>

#include "hook.h"
#include "hook_child.h"
#include "sigsafe/clock.h"
#include "sigsafe/wait.h"

#define MASK_BYTES sizeof(kernel_sigset)

/* The kernel's argument of pselect6. */
struct mask_argument {
	const sigset_t *mask;
	size_t bytes;
};

/* What is left of a time-out, to be pointed at; NULL: it is for ever. */
static const struct timespec *left_of(uint64_t begun_ns, uint64_t timeout_ns,
				      struct timespec *left)
{
	uint64_t ns = wait_left_ns(begun_ns, timeout_ns);

	left->tv_sec = (time_t)(ns / NS_PER_S);
	left->tv_nsec = (long)(ns % NS_PER_S);
	return timeout_ns == FOR_EVER_NS ? NULL : left;
}

static uint64_t ms_ns(long timeout_ms)
{
	return (int)timeout_ms < 0 ? FOR_EVER_NS
				   : (uint64_t)timeout_ms * NS_PER_MS;
}

static uint64_t timespec_ns(const struct timespec *timeout)
{
	return !timeout ? FOR_EVER_NS
			: clock_span_ns(timeout->tv_sec, timeout->tv_nsec);
}

/* Where the kernel lacks epoll_pwait2: up to the next whole millisecond. */
static long epoll_again(const long *a, uint64_t begun_ns, uint64_t timeout_ns,
			const sigset_t *mask)
{
	struct timespec time;
	const struct timespec *left = left_of(begun_ns, timeout_ns, &time);
	long got = real.syscall(SYS_epoll_pwait2, a[0], a[1], a[2], (long)left,
				(long)mask, MASK_BYTES);
	uint64_t left_ms;

	if (got >= 0 || errno != ENOSYS)
		return got;
	left_ms = (wait_left_ns(begun_ns, timeout_ns) + NS_PER_MS - 1) /
		  NS_PER_MS;
	return real.syscall(SYS_epoll_pwait, a[0], a[1], a[2],
			    left ? (long)left_ms : -1, (long)mask, MASK_BYTES);
}

static long poll_again(const long *a, uint64_t begun_ns)
{
	struct timespec time;
	const struct timespec *left = left_of(begun_ns, ms_ns(a[2]), &time);

	return real.syscall(SYS_ppoll, a[0], a[1], (long)left,
			    (long)wait_mask(NULL), MASK_BYTES, 0);
}

/* The kernel has written what is left into the time-out, and will again. */
static long ppoll_again(const long *a)
{
	return real.syscall(SYS_ppoll, a[0], a[1], a[2],
			    (long)wait_mask((const sigset_t *)a[3]), MASK_BYTES,
			    0);
}

/* The same. */
static long pselect_again(const long *a)
{
	const struct mask_argument *hosts = (const void *)a[5];
	struct mask_argument mask = { wait_mask(hosts ? hosts->mask : NULL),
				      MASK_BYTES };

	return real.syscall(SYS_pselect6, a[0], a[1], a[2], a[3], a[4],
			    (long)&mask);
}

/* The same, of a time-out in microseconds. */
static long select_again(const long *a)
{
	struct timeval *timeout = (struct timeval *)a[4];
	struct mask_argument mask = { wait_mask(NULL), MASK_BYTES };
	struct timespec left = { 0 };
	long got;

	if (timeout)
		left = (struct timespec){ timeout->tv_sec,
					  timeout->tv_usec * 1000 };
	got = real.syscall(SYS_pselect6, a[0], a[1], a[2], a[3],
			   timeout ? (long)&left : 0, (long)&mask);
	if (timeout)
		*timeout = (struct timeval){ left.tv_sec, left.tv_nsec / 1000 };
	return got;
}

/* EINTR: nothing was submitted, so all of it is done again. */
static long io_uring_again(const long *a, uint64_t begun_ns)
{
	const struct io_uring_getevents_arg *hosts = (const void *)a[4];
	struct io_uring_getevents_arg again = { .sigmask_sz = MASK_BYTES };
	struct timespec time;
	uint64_t for_ns;

	if (!(a[3] & IORING_ENTER_EXT_ARG))
		return real.syscall(SYS_io_uring_enter, a[0], a[1], a[2], a[3],
				    (long)wait_mask((const sigset_t *)a[4]),
				    MASK_BYTES);
	for_ns = timespec_ns((const struct timespec *)(uintptr_t)hosts->ts);
	again.sigmask = (uintptr_t)wait_mask(
		(const sigset_t *)(uintptr_t)hosts->sigmask);
	again.ts = (uintptr_t)left_of(begun_ns, for_ns, &time);
	return real.syscall(SYS_io_uring_enter, a[0], a[1], a[2], a[3],
			    (long)&again, sizeof(again));
}

static long again(long number, const long *a, uint64_t begun_ns)
{
	switch (number) {
	case SYS_epoll_pwait:
		return epoll_again(a, begun_ns, ms_ns(a[3]),
				   wait_mask((const sigset_t *)a[4]));
	case SYS_epoll_pwait2:
		return epoll_again(a, begun_ns,
				   timespec_ns((const struct timespec *)a[3]),
				   wait_mask((const sigset_t *)a[4]));
	case SYS_ppoll:
		return ppoll_again(a);
	case SYS_pselect6:
		return pselect_again(a);
	case SYS_io_uring_enter:
		return io_uring_again(a, begun_ns);
#ifdef SYS_epoll_wait
	case SYS_poll:
		return poll_again(a, begun_ns);
	case SYS_select:
		return select_again(a);
#endif
	default:
		return epoll_again(a, begun_ns, ms_ns(a[3]), wait_mask(NULL));
	}
}

/* A ring is waited for by its descriptor, as an epoll descriptor is. */
static struct sitting sitting_of(long number, const long *a,
				 struct call_site from)
{
	struct sitting sitting;

	switch (number) {
#ifdef SYS_epoll_wait
	case SYS_poll:
#endif
	case SYS_ppoll:
		return sitting_poll(from, (const struct pollfd *)a[0],
				    (nfds_t)a[1]);
#ifdef SYS_epoll_wait
	case SYS_select:
#endif
	case SYS_pselect6:
		sitting = sitting_select(from, (int)a[0], (const fd_set *)a[1],
					 (const fd_set *)a[2],
					 (const fd_set *)a[3]);
		sitting.seat.size = thread_self.seat.size;
		return sitting;
	default:
		return sitting_epoll(from, (int)a[0]);
	}
}

static enum blocking_call call_of(long number)
{
	switch (number) {
	case SYS_epoll_pwait:
		return CALL_EPOLL_PWAIT;
	case SYS_epoll_pwait2:
		return CALL_EPOLL_PWAIT2;
	case SYS_ppoll:
		return CALL_PPOLL;
	case SYS_pselect6:
		return CALL_PSELECT;
	case SYS_io_uring_enter:
		return CALL_IO_URING_ENTER;
#ifdef SYS_epoll_wait
	case SYS_poll:
		return CALL_POLL;
	case SYS_select:
		return CALL_SELECT;
#endif
	default:
		return CALL_EPOLL_WAIT;
	}
}

long raw_wait(long number, const long *a, struct call_site from)
{
	struct sitting sitting = sitting_of(number, a, from);
	int before = errno;
	uint64_t begun_ns;
	long got;

	start_if_forked();
	begun_ns = wait_begin(call_of(number), &sitting);
	got = real.syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	while (wait_was_broken((int)got, errno)) {
		got = again(number, a, begun_ns);
		/* The tick's EINTR is not to stay. */
		if (got >= 0)
			errno = before;
	}
	/* What io_uring_enter returns is not what it waited for. */
	wait_end(number == SYS_io_uring_enter ? 0 : (int)got);
	return got;
}
