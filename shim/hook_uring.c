/*
 * io_uring_enter(2) by syscall(2), as the wait of a loop. (liburing makes the
 * call itself: shim/hook_liburing.c.)
 *
 * Where it submits as well, and the wait is broken, it returns how much it has
 * submitted and no error: then a tick has broken it all the same, and what
 * continues it submits nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#include <linux/io_uring.h>
#include <string.h>
#include <sys/syscall.h>

#include "hook.h"
#include "hook_child.h"
#include "hook_left.h"
#include "hook_raw_wait.h"

/* Those under which the arguments are what is known here. */
#define KNOWN_FLAGS                                                            \
	(IORING_ENTER_GETEVENTS | IORING_ENTER_SQ_WAKEUP |                     \
	 IORING_ENTER_SQ_WAIT | IORING_ENTER_EXT_ARG |                         \
	 IORING_ENTER_REGISTERED_RING)

bool uring_waits(const long *a)
{
	unsigned least = (unsigned)a[2], flags = (unsigned)a[3];

	return least > 0 && flags & IORING_ENTER_GETEVENTS &&
	       !(flags & ~KNOWN_FLAGS);
}

static long enter_again(const long *a, const void *argument, size_t size)
{
	return real.syscall(SYS_io_uring_enter, a[0], 0, a[2], a[3],
			    (long)(uintptr_t)argument, (long)size);
}

/* With the mask, and the time that is left, in an argument of ours. */
static long continue_extended(const long *a, uint64_t begun_ns)
{
	struct io_uring_getevents_arg argument;
	uint64_t timeout_ns = FOR_EVER_NS;
	struct timespec left;

	memcpy(&argument, (const void *)a[4], sizeof(argument));
	if (argument.ts)
		timeout_ns = timespec_ns((const void *)(uintptr_t)argument.ts);
	argument.ts = (uintptr_t)left_of(begun_ns, timeout_ns, &left);
	argument.sigmask =
		(uintptr_t)wait_mask((const void *)(uintptr_t)argument.sigmask);
	argument.sigmask_sz = sizeof(kernel_sigset);
	return enter_again(a, &argument, sizeof(argument));
}

static cold long continue_uring(const long *a, uint64_t begun_ns)
{
	if (a[3] & IORING_ENTER_EXT_ARG)
		return continue_extended(a, begun_ns);
	return enter_again(a, wait_mask((const sigset_t *)a[4]),
			   sizeof(kernel_sigset));
}

/* What it returned first is what counts, if it had submitted something. */
static cold long go_on(const long *a, uint64_t begun_ns, long submitted)
{
	long got;

	do
		got = continue_uring(a, begun_ns);
	while (wait_was_broken((int)got));
	return submitted > 0 ? submitted : got;
}

/* A ring is waited for by its descriptor, as an epoll descriptor is. */
long uring_wait(const long *a, struct call_site from)
{
	struct sitting sitting = sitting_epoll(from, (int)a[0], false);
	uint64_t begun_ns;
	long got;

	start_if_forked();
	begun_ns = wait_begin(CALL_IO_URING_ENTER, &sitting);
	thread_self.wait_submits = (unsigned)a[1] > 0;
	got = real.syscall(SYS_io_uring_enter, a[0], a[1], a[2], a[3], a[4],
			   a[5]);
	thread_self.wait_submits = false;
	if (wait_was_broken((int)got) ||
	    unlikely(got > 0 && thread_self.tick_broke_wait)) {
		got = go_on(a, begun_ns, got);
		wait_forget_tick((int)got);
	}
	/* How many events there are it does not tell. */
	wait_end(0);
	return got;
}
