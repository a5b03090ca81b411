/*
 * What a signal does by default.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/default_action.h"

#include <signal.h>
#include <sys/mman.h>

#include "sigsafe/clock.h"
#include "sigsafe/disposition.h"
#include "sigsafe/nap.h"
#include "sigsafe/other_stack.h"
#include "sigsafe/process.h"
#include "sigsafe/quiet_lock.h"

#define STOPS_BY_DEFAULT                                                       \
	(SIGNAL_BIT(SIGTSTP) | SIGNAL_BIT(SIGTTIN) | SIGNAL_BIT(SIGTTOU))

/* What the last words may need, where the thread's stack is short. */
#define LAST_STACK_BYTES (256 << 10)

/* No longer than that a thread waits for another's signal to kill. */
#define PATIENCE_NS (2 * NS_PER_S)

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
	long stack = sys6(SYS_mmap, 0, LAST_STACK_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);

	if (stack <= 0) {
		signal_last_words(sig);
		return;
	}
	other_stack_call((char *)stack + LAST_STACK_BYTES, say_last_words,
			 (void *)(intptr_t)sig);
	sys2(SYS_munmap, stack, LAST_STACK_BYTES);
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

void default_action_await_death(void)
{
	uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
	uint32_t memory = process_memory();

	for (unsigned looks = 0; memory && quiet_lock_is_held(&death, memory) &&
				 clock_now_ns() < until_ns;
	     looks++)
		nap(looks);
}
