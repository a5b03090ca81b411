/*
 * Signal dispositions and their shadow.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/signals/disposition.h"

#include <string.h>

#include "base/atomic.h"
#include "sigsafe/live.h"
#include "sigsafe/os/process.h"
#include "sigsafe/os/quiet_lock.h"
#include "sigsafe/stacks/alternate_stack.h"

#define RESTORER UINT64_C(0x04000000)
#define SIGINFO	 ((uint64_t)SA_SIGINFO)
#define ONE_SHOT ((uint64_t)SA_RESETHAND)

/* The flags the kernel knows (0x800: SA_EXPOSE_TAGBITS); it drops others. */
#define KNOWN_FLAGS                                                            \
	((uint64_t)(SA_NOCLDSTOP | SA_NOCLDWAIT | SA_ONSTACK | SA_RESTART |    \
		    SA_NODEFER | 0x800) |                                      \
	 SIGINFO | ONE_SHOT | RESTORER)

/* In called[]: a handler that has to be taken under the lock. No handler is. */
#define ASK ((signal_handler *)-1)

static struct quiet_lock lock; /* guards all below but called[] */
static struct disposition shadow[SIGNALS + 1];
static kernel_sigset stand_ins;
kernel_sigset disposition_restarting, disposition_ignoring; /* unlocked */

/* What entry() calls. Written with the shadow, read without the lock. */
static signal_handler *called[SIGNALS + 1];

/* Constant after the start. */
static signal_handler *entry;
static uint64_t restorer_flag; /* RESTORER, or 0: the kernel's own is used */
static void (*restorer)(void);

static int kernel_set(int sig, const struct disposition *new,
		      struct disposition *old)
{
	return (int)sys4(SYS_rt_sigaction, sig, new, old,
			 sizeof(kernel_sigset));
}

void disposition_start(signal_handler *the_entry, sigaction_function *libcs)
{
	/* Any signal will do: it keeps its disposition. */
	const int sig = SIGNALS;
	struct disposition was, now;
	struct sigaction same = { .sa_flags = 0 };

	entry = the_entry;
	kernel_set(sig, NULL, &was);
	same.sa_sigaction = was.handler;
	/* The restorer is libc's own, which unwinders and debuggers know. */
	libcs(sig, &same, NULL);
	kernel_set(sig, NULL, &now);
	restorer = now.restorer;
	restorer_flag = now.flags & RESTORER;
	kernel_set(sig, &was, NULL);
}

void disposition_lock(uint32_t memory)
{
	quiet_lock(&lock, memory);
}

void disposition_unlock(void)
{
	quiet_unlock(&lock);
}

static bool is_function(signal_handler *handler)
{
	return handler != DEFAULT && handler != IGNORE;
}

static bool is_default(const struct disposition *disposition)
{
	return disposition->handler == DEFAULT;
}

static bool stands_in(int sig)
{
	return stand_ins & SIGNAL_BIT(sig);
}

/* For SA_ONSTACK valgrind, where no stack is given, lets none grow. */
static struct disposition stand_in_form(int sig)
{
	return (struct disposition){
		.handler = entry,
		.flags = SIGINFO | restorer_flag | (uint64_t)SA_RESTART |
			 (alternate_stacks_are_given() ? SA_ONSTACK : 0u) |
			 (is_fault_signal(sig) ? (uint64_t)SA_NODEFER : 0),
		.restorer = restorer,
		.mask = QUIET_MASK,
	};
}

static struct disposition kernel_form(int sig, const struct disposition *host)
{
	struct disposition kernel = *host;

	if (is_default(host) && stands_in(sig))
		return stand_in_form(sig);
	if (is_function(host->handler)) {
		kernel.handler = entry;
		kernel.flags |= SIGINFO;
		if (!live_is_left())
			kernel.flags &= ~ONE_SHOT;
		kernel.mask = mask_unlike_quiet(kernel.mask);
	}
	return kernel;
}

static void note(kernel_sigset *set, int sig, bool is_in)
{
	store_relaxed(set,
		      is_in ? *set | SIGNAL_BIT(sig) : *set & ~SIGNAL_BIT(sig));
}

/* As the kernel would report it. */
static void remember(int sig, const struct disposition *host)
{
	bool asks = is_function(host->handler) && host->flags & ONE_SHOT &&
		    !live_is_left();

	shadow[sig] = *host;
	shadow[sig].flags &= KNOWN_FLAGS;
	shadow[sig].mask &= ~UNMASKABLE;
	/* Relaxed: an answer is as old as the handler it belongs to. */
	note(&disposition_restarting, sig, host->flags & SA_RESTART);
	note(&disposition_ignoring, sig, host->handler == IGNORE);
	/* Release pairs with the acquire in disposition_take(). */
	store_release(&called[sig], asks ? ASK : host->handler);
}

struct disposition disposition_from(const struct sigaction *act)
{
	struct disposition new = {
		.handler = act->sa_sigaction,
		.flags = (uint32_t)act->sa_flags | restorer_flag,
		.restorer = restorer,
	};

	memcpy(&new.mask, &act->sa_mask, sizeof(new.mask));
	return new;
}

int disposition_set(int sig, const struct disposition *new,
		    struct disposition *old)
{
	struct disposition kernel, was;
	int err;

	if (new)
		kernel = kernel_form(sig, new);
	err = kernel_set(sig, new ? &kernel : NULL, &was);
	if (err)
		return err;
	if (was.handler == entry)
		was = shadow[sig];
	/* *old last: it may be *new. */
	if (new)
		remember(sig, new);
	*old = was;
	return 0;
}

int disposition_set_of_guest(int sig, const struct disposition *new,
			     struct disposition *old)
{
	struct disposition was;
	int err = kernel_set(sig, NULL, &was);
	bool is_ours = !err && was.handler == entry;

	if (is_ours)
		was = shadow[sig];
	/* Where we stand in for the default that is not taken away. */
	if (new && !(is_ours && is_default(&was) && is_default(new)))
		err = kernel_set(sig, new, NULL);
	*old = was;
	return err;
}

bool disposition_is_default(int sig)
{
	struct disposition now;

	return !disposition_set(sig, NULL, &now) && is_default(&now);
}

/* Relaxed: of a change that comes just now it is before or after. */
bool disposition_is_stood_in(int sig)
{
	return load_relaxed(&stand_ins) & SIGNAL_BIT(sig) &&
	       !is_function(load_relaxed(&called[sig]));
}

void disposition_stand_in(int sig)
{
	struct disposition host = { .handler = DEFAULT };

	store_relaxed(&stand_ins, stand_ins | SIGNAL_BIT(sig));
	if (!disposition_set(sig, NULL, &host) && is_default(&host))
		disposition_set(sig, &host, &host);
	note(&disposition_ignoring, sig, host.handler == IGNORE);
}

static cold signal_handler *take_one_shot(int sig)
{
	struct disposition host;
	signal_handler *handler;
	uint32_t memory = process_memory();

	if (memory)
		disposition_lock(memory);
	host = shadow[sig];
	handler = host.handler;
	host.handler = DEFAULT;
	if (!memory) {
		kernel_set(sig, &host, NULL);
		return handler;
	}
	if (is_function(handler) && host.flags & ONE_SHOT)
		disposition_set(sig, &host, &host);
	disposition_unlock();
	return handler;
}

signal_handler *disposition_take(int sig)
{
	signal_handler *handler = load_acquire(&called[sig]);

	return likely(handler != ASK) ? handler : take_one_shot(sig);
}

bool disposition_is_handled(int sig)
{
	/* Relaxed: nothing is read through it. */
	return is_function(load_relaxed(&called[sig]));
}

void disposition_stand_back(int sig)
{
	struct disposition now;

	store_relaxed(&stand_ins, stand_ins & ~SIGNAL_BIT(sig));
	/* One that was ignored at the start is in no shadow. */
	if (!kernel_set(sig, NULL, &now) && now.handler == entry &&
	    is_default(&shadow[sig]))
		kernel_set(sig, &shadow[sig], NULL);
}

void disposition_stand_back_from_one_shots(void)
{
	struct disposition host;

	for (int sig = 1; sig <= SIGNALS; sig++)
		if (called[sig] == ASK && !disposition_set(sig, NULL, &host))
			disposition_set(sig, &host, &host);
}

void disposition_reset(int sig)
{
	const struct disposition none = { .handler = DEFAULT };

	kernel_set(sig, &none, NULL);
}

void disposition_let_go(int sig)
{
	uint32_t memory = process_memory();

	if (memory)
		disposition_lock(memory);
	if (is_default(&shadow[sig]))
		kernel_set(sig, &shadow[sig], NULL);
	if (memory)
		disposition_unlock();
}

void disposition_take_back(int sig)
{
	struct disposition host;
	uint32_t memory = process_memory();

	if (!memory)
		return;
	disposition_lock(memory);
	if (stands_in(sig) && !disposition_set(sig, NULL, &host) &&
	    is_default(&host))
		disposition_set(sig, &host, &host);
	disposition_unlock();
}
