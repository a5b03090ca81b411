/*
 * What a signal does by default.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/signals/default_action.h"

#include <signal.h>

#include "base/atomic.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/nap.h"
#include "sigsafe/os/process.h"
#include "sigsafe/os/quiet_lock.h"
#include "sigsafe/signals/coming.h"
#include "sigsafe/signals/disposition.h"
#include "sigsafe/stacks/other_stack.h"

#define STOPS_BY_DEFAULT                                                       \
	(SIGNAL_BIT(SIGTSTP) | SIGNAL_BIT(SIGTTIN) | SIGNAL_BIT(SIGTTOU))

/* What the last words may need, where the thread's stack is short. */
#define LAST_STACK_BYTES (256 << 10)

/* No longer than that a thread waits for another's signal to kill. */
#define PATIENCE_NS (2 * NS_PER_S)

/* So long after it was sent one may still come. */
#define COMING_NS (200 * NS_PER_MS)

void (*signal_last_words)(int sig);

/*
 * One thread at a time ends the process. Another one that would as well waits
 * here for its own end, so that the last words are not cut short. Outside of
 * every other lock.
 */
static struct quiet_lock death;

static void say_last_words(void *sig)
{
	signal_last_words((int)(intptr_t)sig);
}

/* The thread's own stack may be a coroutine's. */
static void last_words(int sig)
{
	if (!other_stack_call_on_new(LAST_STACK_BYTES, say_last_words,
				     (void *)(intptr_t)sig))
		signal_last_words(sig);
}

static void raise_now(int sig)
{
	const kernel_sigset set = SIGNAL_BIT(sig);

	sys_sigprocmask(SIG_UNBLOCK, &set, NULL);
	sys3(SYS_tgkill, sys_getpid(), sys_gettid(), sig);
}

/* The parent must see what the host died of, so the kernel has to do it. */
static void raise_by_default(int sig)
{
	disposition_let_go(sig);
	raise_now(sig);
	/* Still here: it was stopped and continued, or is traced. */
	disposition_take_back(sig);
}

cold void act_by_default(int sig)
{
	uint32_t memory = process_memory();

	if (!memory) {
		raise_by_default(sig);
		return;
	}
	quiet_lock(&death, memory);
	if (!(STOPS_BY_DEFAULT & SIGNAL_BIT(sig)))
		last_words(sig);
	raise_by_default(sig);
	quiet_unlock(&death);
}

/*
 * What the host last sent itself that may kill, and when; or 0. Relaxed: who
 * ends the process otherwise is who has sent it.
 */
static uint64_t sent_ns;
static int sent_sig;

/* Those that a thread has waited for, or read, and which it then may take. */
static kernel_sigset awaited;

void default_action_may_come(int sig)
{
	store_relaxed(&sent_sig, sig);
	store_relaxed(&sent_ns, clock_now_ns());
}

void default_action_is_awaited(kernel_sigset set)
{
	kernel_sigset had = load_relaxed(&awaited);

	/* Nothing is handed on by it. */
	while (set & ~had && !cas_acq_rel(&awaited, &had, had | set))
		;
}

static bool is_under_way(void)
{
	uint32_t memory = process_memory();

	return memory && quiet_lock_is_held(&death, memory);
}

/*
 * The thread that is to die may have to wait for a processor. Has it the signal
 * blocked, the process natively ends first.
 */
static void await_coming(void)
{
	uint64_t until_ns = load_relaxed(&sent_ns) + COMING_NS;
	int sig = load_relaxed(&sent_sig);

	if (SIGNAL_BIT(sig) & load_relaxed(&awaited))
		return;
	for (unsigned looks = 0; !is_under_way() && clock_now_ns() < until_ns &&
				 signal_is_coming(sig);
	     looks++)
		nap(looks);
}

void default_action_await_death(void)
{
	uint64_t until_ns = clock_now_ns() + PATIENCE_NS;

	if (unlikely(load_relaxed(&sent_ns)))
		await_coming();
	for (unsigned looks = 0; is_under_way() && clock_now_ns() < until_ns;
	     looks++)
		nap(looks);
}
