/*
 * Signals that are to come: who has them pending is in /proc/self/task.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/signals/coming.h"

#include <dirent.h>
#include <fcntl.h>

#include "sigsafe/live.h"
#include "sigsafe/os/thread_signals.h"
#include "sigsafe/stacks/spare_stack.h"

struct look {
	kernel_sigset sig;
	int self;
	bool has_others, is_pending, can_be_taken;
};

/* In one of our sections it leaves by itself; then its mask tells. */
static bool is_open(kernel_sigset blocked, kernel_sigset sig)
{
	return !(blocked & sig) || is_quiet_mask(blocked);
}

/* Of itself the caller has it blocked. */
static void look_at(struct look *look, int tid)
{
	struct thread_signals signals;

	if (!tid || tid == look->self || !thread_signals_of(tid, &signals))
		return;
	look->has_others = true;
	if (!(signals.pending & look->sig))
		return;
	look->is_pending = true;
	look->can_be_taken |= is_open(signals.blocked, look->sig);
}

/* 0: it is none. */
static int number_of(const char *name)
{
	int number = 0;

	for (; *name >= '0' && *name <= '9'; name++)
		number = 10 * number + (*name - '0');
	return number;
}

static void look_at_all(void *argument)
{
	long fd = sys4(SYS_openat, AT_FDCWD, "/proc/self/task",
		       O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	_Alignas(struct dirent64) char entries[1024];
	const struct dirent64 *entry;
	struct look *look = argument;
	long bytes;

	if (sys_failed(fd))
		return;
	while (!look->can_be_taken &&
	       (bytes = sys3(SYS_getdents64, fd, entries, sizeof(entries))) > 0)
		for (long at = 0; at < bytes; at += entry->d_reclen) {
			entry = (const void *)(entries + at);
			look_at(look, number_of(entry->d_name));
		}
	sys1(SYS_close, fd);
}

bool signal_is_coming(int sig)
{
	struct look look = { .sig = SIGNAL_BIT(sig), .self = sys_gettid() };

	if (live_is_left() ||
	    !spare_stack_call_by_hook(NULL, look_at_all, &look))
		return false;
	return look.has_others && (!look.is_pending || look.can_be_taken);
}
