/*
 * Once: pthread_once and C11's call_once, by which C++'s std::call_once works.
 * Who comes while the initialisation is under way waits, as for a lock that is
 * held by the thread that does it.
 *
 * The lock is released inside of libc, where no hook sees it: so it is settled
 * by what libc calls in place of the host's function, just after that one.
 * Where it ends by an exception or is cancelled that is left out, and those
 * who waited begin anew, one of them by doing it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include "hook_waiting.h"

/* glibc's values of a pthread_once_t, and others' as far as they matter. */
#define ONCE_STATE	 3
#define ONCE_IN_PROGRESS 1
#define ONCE_DONE	 2

/* A call of pthread_once, on its thread's stack. */
struct once {
	struct once *outer;
	const void *control;
	void (*init)(void);
	bool is_waiting;
	struct waiting waiting;
	struct contention caused; /* by our own initialisation */
};

/* Written by its own thread, just before it is read: outer may be outdated. */
static __thread struct once *innermost
	__attribute__((tls_model("initial-exec")));

static void end_wait(struct once *once)
{
	if (once->is_waiting)
		waiting_end(&once->waiting, WAIT_ACQUIRED);
	once->is_waiting = false;
}

/* In place of the host's function. */
static void run(void)
{
	struct once *once = innermost;

	end_wait(once);
	once->init();
	if (contention_has_waiters(once->control))
		once->caused = contention_settle(once->control);
}

static void begin(struct once *once, const int *control, void (*init)(void),
		  const void *caller)
{
	struct lock lock = { .address = control, .kind = LOCK_ONCE };

	*once = (struct once){
		.outer = innermost,
		.control = control,
		.init = init,
		.is_waiting = (load_relaxed(control) & ONCE_STATE) ==
			      ONCE_IN_PROGRESS,
	};
	if (once->is_waiting)
		waiting_begin(&once->waiting, lock, caller);
	innermost = once;
}

static void end(struct once *once, const void *caller)
{
	innermost = once->outer;
	end_wait(once);
	if (once->caused.recording)
		contention_record(&once->caused, caller);
}

static inline bool is_done(const int *control)
{
	/* Relaxed: libc looks again, with the order that it needs. */
	return (load_relaxed(control) & ONCE_STATE) == ONCE_DONE;
}

HOOK int pthread_once(pthread_once_t *control, void (*init)(void))
{
	struct once once;
	int err;

	if (likely(is_done(control)))
		return real.pthread_once(control, init);
	begin(&once, control, init, CALLER);
	err = real.pthread_once(control, run);
	end(&once, CALLER);
	return err;
}

HOOK void call_once(once_flag *flag, void (*init)(void))
{
	const int *control = (const int *)flag;
	struct once once;

	if (likely(is_done(control))) {
		real.call_once(flag, init);
		return;
	}
	begin(&once, control, init, CALLER);
	real.call_once(flag, run);
	end(&once, CALLER);
}
