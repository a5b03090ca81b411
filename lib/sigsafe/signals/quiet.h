/*
 * Sections of our own, in which no handler of the host may run: every signal is
 * blocked but those of faults (QUIET_MASK). Of these, what is sent meanwhile
 * comes when the section is over (sigsafe/signals/sent_fault.h). Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_SIGNALS_QUIET_H
#define SIGSAFE_SIGNALS_QUIET_H

#include "sigsafe/signals/disposition.h"
#include "sigsafe/signals/sent_fault.h"
#include "sigsafe/thread.h"

/* For quiet_end(). */
struct quiet {
	kernel_sigset mask; /* the thread's before */
	bool was_quiet;
};

/*
 * One that the host ignores is blocked, too: the kernel kills for a fault in
 * any case, and it would drop what was sent while the host has it blocked.
 */
static inline kernel_sigset quiet_mask(void)
{
	return QUIET_MASK |
	       (load_relaxed(&disposition_ignoring) & FAULT_SIGNALS);
}

/* Sections may nest. */
static inline struct quiet quiet_begin(void)
{
	const kernel_sigset quiet = quiet_mask();
	struct quiet before = { .was_quiet = thread_self.is_quiet };

	/* First: what pends comes at once. */
	thread_self.is_quiet = true;
	sys_sigprocmask(SIG_SETMASK, &quiet, &before.mask);
	return before;
}

static inline void quiet_end(const struct quiet *before)
{
	sys_sigprocmask(SIG_SETMASK, &before->mask, NULL);
	thread_self.is_quiet = before->was_quiet;
	/* Last: until now one may have come. */
	sent_faults_settle(before->mask);
}

/*
 * The same where the section is a handler of ours, from begin to end. It may
 * have come just as another one was about to begin: true. Handler only.
 */
static inline bool quiet_enter(void)
{
	bool was_quiet = thread_self.is_quiet;

	thread_self.is_quiet = true;
	return was_quiet;
}

/* hosts: the mask of the code that goes on. */
static inline void quiet_leave(kernel_sigset hosts, bool was_quiet)
{
	const kernel_sigset faults = FAULT_SIGNALS;

	/* Until it has returned. */
	sys_sigprocmask(SIG_BLOCK, &faults, NULL);
	thread_self.is_quiet = was_quiet;
	sent_faults_settle(hosts);
}

#endif
