/*
 * syscall(2), for the sake of futex: Rust's locks, GLib's and libstdc++'s
 * atomic waits sleep in futex() directly, and no hook of a lock sees them. They
 * are counted, so that a report can say what it does not show; and a tick must
 * not cut short those that have a time-out. For other calls see hook_raw.h and
 * hook_raw_signal.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include <linux/futex.h>
#include <linux/prctl.h>
#include <stdarg.h>
#include <sys/syscall.h>

#include "hook_child.h"
#include "hook_park.h"
#include "hook_raw.h"
#include "hook_raw_signal.h"
#include "hook_raw_wait.h"
#include "hook_seccomp.h"
#include "sigsafe/os/memory.h"
#include "sigsafe/signals/tick_signal.h"
#include "sigsafe/thread.h"

static bool is_wait(long operation)
{
	switch (operation & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
	case FUTEX_WAIT_REQUEUE_PI:
		return true;
	default:
		return false;
	}
}

/* Of FUTEX_WAIT the time-out is a length of time. */
static bool is_far(const long *a)
{
	struct timespec timeout;

	/* By now seccomp may kill for a call of ours. */
	if (!park_may_begin_timed() || !live_recording() ||
	    !memory_copy(&timeout, (const void *)a[3], sizeof(timeout)))
		return false;
	if ((a[1] & FUTEX_CMD_MASK) != FUTEX_WAIT)
		return hook_park_is_far(&timeout);
	return clock_span_ns(timeout.tv_sec, timeout.tv_nsec) > PARK_NEAR_NS;
}

static long call_futex(const long *a)
{
	return real.syscall(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static cold long wait_in_futex(const long *a, struct call_site call)
{
	struct block block;
	long result;

	live_count_lost(LOST_RAW_FUTEX);
	/* Without a time-out the kernel goes on waiting after a tick. */
	if (!a[3]) {
		park_begin(call);
		result = call_futex(a);
		park_end();
		return result;
	}
	block = hook_timed_begin(CALL_FUTEX, is_far(a), &call);
	result = call_futex(a);
	hook_timed_end(&block);
	return result;
}

/* As by libc's functions (hook_exit.c). */
static cold long exec_raw(long number, const long *a)
{
	if (number == SYS_execve)
		return execve((const char *)a[0], (char *const *)a[1],
			      (char *const *)a[2]);
	return execveat((int)a[0], (const char *)a[1], (char *const *)a[2],
			(char *const *)a[3], (int)a[4]);
}

/* However many arguments there are: what was not passed is not looked at. */
HOOK long syscall(long number, ...)
{
	va_list list;
	long a[6], result;

	va_start(list, number);
	for (size_t i = 0; i < ARRAY_SIZE(a); i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (unlikely(number == SYS_futex && is_wait(a[1])))
		return wait_in_futex(a, CALL_SITE_HERE);
	if (unlikely(raw_waits(number, a)))
		return raw_wait(number, a, CALL_SITE_HERE);
	if (unlikely(number == SYS_seccomp))
		leave_before_seccomp(a[0] == SECCOMP_SET_MODE_STRICT,
				     a[0] == SECCOMP_SET_MODE_FILTER && a[2],
				     number, a);
	if (unlikely(number == SYS_prctl))
		leave_before_prctl(a);
	if (unlikely(number == SYS_execve || number == SYS_execveat))
		return exec_raw(number, a);
	if (unlikely(number == SYS_exit_group))
		_exit((int)a[0]);
	if (unlikely(raw_is_signal(number)))
		return raw_signal(number, a);
	if (unlikely(thread_self.armed || tick_signals_open()) &&
	    raw_call(number, a, CALLER, &result))
		return result;
	return real.syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
