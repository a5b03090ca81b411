/*
 * The alternate stack of a thread that has a timer.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/alternate_stack.h"

#include <sys/mman.h>

#include "sigsafe/disposition.h"
#include "sigsafe/live.h"
#include "sigsafe/memory.h"
#include "sigsafe/sys.h"

/* What it took at most when the kernel did not say. */
#define OLD_FRAME_BYTES ((size_t)2048)

/* For what the host's handler and ours use, besides the frames of both. */
#define HANDLERS_BYTES (4u << 10)

/* What a shorter one has no room for. Written in the constructor. */
static size_t room_bytes;

/* As the kernel says it of a thread without. */
static const stack_t none = { .ss_flags = SS_DISABLE };

void alternate_stack_start(size_t frame_bytes)
{
	room_bytes = 2 * (frame_bytes ? frame_bytes : OLD_FRAME_BYTES) +
		     HANDLERS_BYTES;
}

static long exchange(const stack_t *new, stack_t *old)
{
	return sys2(SYS_sigaltstack, new, old);
}

static stack_t ours(const struct thread *self)
{
	return (stack_t){ .ss_sp = self->alternate_stack,
			  .ss_size = ALTERNATE_STACK_BYTES };
}

static bool is_ours(const struct thread *self, const stack_t *stack)
{
	return self->alternate_stack && stack->ss_sp == self->alternate_stack;
}

/* Above an unreadable page; untouched, so it takes no memory yet. */
static cold void *map(void)
{
	long at = sys6(SYS_mmap, 0, PAGE_BYTES + ALTERNATE_STACK_BYTES,
		       PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE,
		       -1, 0);

	if (sys_failed(at))
		return NULL;
	sys3(SYS_mprotect, at, PAGE_BYTES, PROT_NONE);
	return (char *)at + PAGE_BYTES;
}

static void unmap(void *stack)
{
	sys2(SYS_munmap, (char *)stack - PAGE_BYTES,
	     PAGE_BYTES + ALTERNATE_STACK_BYTES);
}

void alternate_stack_provide(struct thread *self)
{
	stack_t now, new;

	if (exchange(NULL, &now) || !(now.ss_flags & SS_DISABLE))
		return;
	/* First known, then used: a handler must know where it was entered. */
	if (!self->alternate_stack)
		self->alternate_stack = map();
	if (!self->alternate_stack)
		return;
	new = ours(self);
	exchange(&new, NULL);
}

void alternate_stack_remove(struct thread *self)
{
	void *stack = self->alternate_stack;
	stack_t now;

	/* After seccomp it stays: nothing may be asked. */
	if (!stack || live_is_left() || exchange(NULL, &now))
		return;
	/* Refused where the thread ends on it: then it has to stay. */
	if (is_ours(self, &now) && exchange(&none, NULL))
		return;
	self->alternate_stack = NULL;
	unmap(stack);
}

/* First the kernel, which refuses what is to be refused. */
int alternate_stack_of_host(const stack_t *new, stack_t *old)
{
	struct thread *self = &thread_self;
	long err = exchange(new, old);

	if (err)
		return (int)err;
	if (old && is_ours(self, old))
		*old = none;
	/* It may have given up its own. */
	if (new && self->timer && live_recording())
		alternate_stack_provide(self);
	return 0;
}

void alternate_stack_hide(const struct thread *self, ucontext_t *uc)
{
	if (is_ours(self, &uc->uc_stack))
		uc->uc_stack = none;
}

void alternate_stack_show(const struct thread *self, ucontext_t *uc)
{
	/* Here, unlike in an answer, it need not be flagged. */
	if (self->alternate_stack && !uc->uc_stack.ss_size)
		uc->uc_stack = ours(self);
}

/* The kernel is asked to write the signal mask there. */
static bool is_writable(uintptr_t address)
{
	return !sys_sigprocmask(SIG_BLOCK, NULL, (kernel_sigset *)address);
}

/* Each page of it: a stack may have an unreadable one, and others below. */
bool alternate_stack_fits_below(const struct thread *self, const ucontext_t *uc)
{
	const uintptr_t red_zone_bytes = 128; /* of the ABI: it is left alone */
	uintptr_t top =
		(uintptr_t)self->alternate_stack + ALTERNATE_STACK_BYTES;
	uintptr_t at = context_sp(uc) - red_zone_bytes - sizeof(kernel_sigset);
	uintptr_t end = at - (top - (uintptr_t)uc);

	for (; at > end; at -= PAGE_BYTES) {
		if (!is_writable(at))
			return false;
	}
	return is_writable(end);
}

struct call {
	void (*function)(void *);
	void *argument;
};

static void call_without(void *argument)
{
	const struct call *call = argument;
	stack_t had;
	bool is_gone = !exchange(&none, &had);

	call->function(call->argument);
	if (is_gone)
		exchange(&had, NULL);
}

void alternate_stack_call_on(void *top, void (*function)(void *),
			     void *argument)
{
	struct call call = { function, argument };

	if (unlikely(disposition_enters_alternate_stack(SIGBUS)))
		machine_call_on(top, call_without, &call);
	else
		machine_call_on(top, function, argument);
}

bool alternate_stack_is_short(const ucontext_t *uc)
{
	const stack_t *stack = &uc->uc_stack;

	return (uintptr_t)uc - (uintptr_t)stack->ss_sp < stack->ss_size &&
	       stack->ss_size < room_bytes;
}
