/*
 * Waits for events by syscall(2). One that a tick broke is continued by a call
 * that takes a signal mask (lib/sigsafe/loops/wait.h), made by syscall(2) as
 * well, so that it is no cancellation point either.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook_raw_wait.h"

#include <errno.h>

#include "hook.h"
#include "hook_child.h"
#include "hook_left.h"
#include "sigsafe/os/memory.h"

#define MASK_BYTES sizeof(kernel_sigset)

/* The kernel's argument of pselect6. */
struct mask_argument {
	const sigset_t *mask;
	size_t bytes;
};

/* Where the kernel lacks epoll_pwait2: up to the next whole millisecond. */
static long epoll_again(const long *a, uint64_t begun_ns, uint64_t timeout_ns,
			const sigset_t *mask)
{
	struct timespec time;
	const struct timespec *left = left_of(begun_ns, timeout_ns, &time);
	long got = real.syscall(SYS_epoll_pwait2, a[0], a[1], a[2], (long)left,
				(long)mask, MASK_BYTES);
	uint64_t left_ms;

	if (got >= 0 || (errno != ENOSYS && errno != EPERM))
		return got;
	left_ms = (wait_left_ns(begun_ns, timeout_ns) + NS_PER_MS - 1) /
		  NS_PER_MS;
	return real.syscall(SYS_epoll_pwait, a[0], a[1], a[2],
			    left ? (long)left_ms : -1, (long)mask, MASK_BYTES);
}

static long poll_again(const long *a, uint64_t begun_ns)
{
	struct timespec time;
	const struct timespec *left =
		left_of(begun_ns, ms_ns((int)a[2]), &time);

	wait_tick_at_end(begun_ns, ms_ns((int)a[2]));
	return real.syscall(SYS_ppoll, a[0], a[1], (long)left,
			    (long)wait_mask(NULL), MASK_BYTES, 0);
}

/*
 * Has the kernel written what is left into the time-out, and will again? Not if
 * that can't be written.
 */
static bool is_told(void *timeout)
{
	struct timespec kept = *(struct timespec *)timeout;

	if (!memory_can_be_written(timeout, sizeof(kept)))
		return false;
	*(struct timespec *)timeout = kept;
	return true;
}

/* The time-out to continue with, of one that the kernel tells what is left. */
static long told_again(void *timeout, uint64_t begun_ns, struct timespec *left)
{
	if (!timeout || is_told(timeout))
		return (long)timeout;
	return (long)left_of(begun_ns, timespec_ns(timeout), left);
}

static long ppoll_again(const long *a, uint64_t begun_ns)
{
	struct timespec left;

	return real.syscall(SYS_ppoll, a[0], a[1],
			    told_again((void *)a[2], begun_ns, &left),
			    (long)wait_mask((const sigset_t *)a[3]), MASK_BYTES,
			    0);
}

static long pselect_again(const long *a, uint64_t begun_ns)
{
	const struct mask_argument *hosts = (const void *)a[5];
	struct mask_argument mask = { wait_mask(hosts ? hosts->mask : NULL),
				      MASK_BYTES };
	struct timespec left;

	return real.syscall(SYS_pselect6, a[0], a[1], a[2], a[3],
			    told_again((void *)a[4], begun_ns, &left),
			    (long)&mask);
}

/* The same, of a time-out in microseconds. */
static long select_again(const long *a, uint64_t begun_ns)
{
	struct timeval *timeout = (struct timeval *)a[4];
	struct mask_argument mask = { wait_mask(NULL), MASK_BYTES };
	bool told = timeout && is_told(timeout);
	struct timespec left;
	long got;

	left_of(told ? clock_now_ns() : begun_ns, timeval_ns(timeout), &left);
	got = real.syscall(SYS_pselect6, a[0], a[1], a[2], a[3],
			   timeout ? (long)&left : 0, (long)&mask);
	if (told)
		*timeout = (struct timeval){ left.tv_sec, left.tv_nsec / 1000 };
	return got;
}

static cold long again(long number, const long *a, uint64_t begun_ns)
{
	switch (number) {
	case SYS_epoll_pwait:
		return epoll_again(a, begun_ns, ms_ns((int)a[3]),
				   wait_mask((const sigset_t *)a[4]));
	case SYS_epoll_pwait2:
		return epoll_again(a, begun_ns,
				   timespec_ns((const struct timespec *)a[3]),
				   wait_mask((const sigset_t *)a[4]));
	case SYS_ppoll:
		return ppoll_again(a, begun_ns);
	case SYS_pselect6:
		return pselect_again(a, begun_ns);
	case SYS_poll:
		return poll_again(a, begun_ns);
	case SYS_select:
		return select_again(a, begun_ns);
	default:
		return epoll_again(a, begun_ns, ms_ns((int)a[3]),
				   wait_mask(NULL));
	}
}

/* Not inlined: the stack that it takes is free again before the wait. */
static cold struct sitting sitting_of(long number, const long *a,
				      struct call_site from)
{
	struct sitting sitting;

	switch (number) {
	case SYS_poll:
	case SYS_ppoll:
		return sitting_poll(from, (const struct pollfd *)a[0],
				    (nfds_t)a[1]);
	case SYS_select:
	case SYS_pselect6:
		sitting = sitting_select(from, (int)a[0], (const fd_set *)a[1],
					 (const fd_set *)a[2],
					 (const fd_set *)a[3]);
		sitting.seat.size = thread_self.seat.size;
		return sitting;
	default:
		return sitting_epoll(from, (int)a[0], false);
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
	case SYS_poll:
		return CALL_POLL;
	case SYS_select:
		return CALL_SELECT;
	default:
		return CALL_EPOLL_WAIT;
	}
}

long raw_wait(long number, const long *a, struct call_site from)
{
	struct sitting sitting = sitting_of(number, a, from);
	uint64_t begun_ns;
	long got;

	if (number == SYS_io_uring_enter)
		return uring_wait(a, from);
	start_if_forked();
	begun_ns = wait_begin(call_of(number), &sitting);
	got = real.syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	while (wait_was_broken((int)got)) {
		got = again(number, a, begun_ns);
		wait_forget_tick((int)got);
	}
	wait_end((int)got);
	return got;
}
