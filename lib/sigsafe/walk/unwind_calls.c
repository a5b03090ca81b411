/*
 * What libunwind calls while it walks: the safe versions.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walk/unwind_calls.h"

#include <sys/types.h>

#include "sigsafe/thread.h"

/* The program's own walk holds a pool's mutex for a few instructions. */
#define MUTEX_SPINS 2000u

/* What the slots held before. Written by lib/setup, in the constructor. */
static int (*original_lock)(void *mutex);
static int (*original_unlock)(void *mutex);
static int (*hosts_sigprocmask)(int how, const void *set, void *old);
static void *(*original_mmap)(void *at, size_t bytes, int prot, int flags,
			      int fd, off_t offset);
static void (*original_abort)(void);
static int (*original_pipe2)(int *fds, int flags);

int (*unwind_try_lock)(void *mutex);
int (*unwind_unlock)(void *mutex);

/* Of the walk under way: walks take turns. */
static struct unwind_escape *escape;

/* Written by unwind_calls_ready(), in the constructor. */
static bool is_ready;

void unwind_calls_begin(struct unwind_escape *of_this_walk)
{
	escape = of_this_walk;
	escape->held = NULL;
}

static _Noreturn void end_walk(void)
{
	if (escape->held)
		unwind_unlock(escape->held);
	__builtin_longjmp(escape->jump, 1);
}

static int safe_lock(void *mutex)
{
	unsigned spins = MUTEX_SPINS;

	if (!thread_self.in_walk)
		return original_lock(mutex);
	while (unwind_try_lock(mutex)) {
		if (!spins--)
			end_walk();
		machine_relax();
	}
	escape->held = mutex;
	return 0;
}

static int safe_unlock(void *mutex)
{
	if (!thread_self.in_walk)
		return original_unlock(mutex);
	escape->held = NULL;
	return unwind_unlock(mutex);
}

static int safe_sigprocmask(int how, const void *set, void *old)
{
	/* All signals are blocked already. */
	if (thread_self.in_walk)
		return 0;
	/* Not by our hook: it is no wish of the host to block signals. */
	return sys_sigprocmask(how, set, old) ? -1 : 0;
}

static void *safe_mmap(void *at, size_t bytes, int prot, int flags, int fd,
		       off_t offset)
{
	if (thread_self.in_walk)
		end_walk();
	return original_mmap(at, bytes, prot, flags, fd, offset);
}

static void safe_abort(void)
{
	if (thread_self.in_walk)
		end_walk();
	original_abort();
}

static int safe_pipe2(int *fds, int flags)
{
	if (is_ready)
		return original_pipe2(fds, flags);
	fds[0] = fds[1] = -1;
	return 0;
}

const struct unwind_call unwind_calls[UNWIND_CALLS] = {
	{ "pthread_mutex_lock", safe_lock, (void **)&original_lock },
	{ "pthread_mutex_unlock", safe_unlock, (void **)&original_unlock },
	{ "sigprocmask", safe_sigprocmask, (void **)&hosts_sigprocmask },
	{ "mmap", safe_mmap, (void **)&original_mmap },
	{ "abort", safe_abort, (void **)&original_abort },
	{ "pipe2", safe_pipe2, (void **)&original_pipe2 },
};

void unwind_calls_ready(void)
{
	is_ready = true;
}
