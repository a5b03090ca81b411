/*
 * The alternate stack of a thread that has ticks, and the host's.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/stacks/alternate_stack.h"

#include <errno.h>

#include "sigsafe/live.h"
#include "sigsafe/loops/timer.h"
#include "sigsafe/os/kernel_version.h"
#include "sigsafe/os/machine.h"
#include "sigsafe/os/memory.h"
#include "sigsafe/os/process.h"
#include "sigsafe/os/sys.h"
#include "sigsafe/signals/quiet.h"
#include "sigsafe/stacks/guarded_stack.h"
#include "sigsafe/stacks/hosts_stack.h"

/* What it took at most when the kernel did not say. */
#define OLD_FRAME_BYTES ((size_t)2048)

/* For what the host's handler and ours use, besides the frames of both. */
#define HANDLERS_BYTES (4u << 10)

/*
 * What a shorter one has no room for: one handler, and one in another. Written
 * in the constructor; 0: no thread gets one of ours.
 */
static size_t one_bytes, room_bytes;

/*
 * Does the return from a handler restore the alternate stack while the thread
 * is still on the frame? Written in the constructor.
 */
static bool is_restored_first;

void alternate_stack_start(size_t frame_bytes)
{
	size_t frame = frame_bytes ? frame_bytes : OLD_FRAME_BYTES;

	one_bytes = frame + HANDLERS_BYTES;
	room_bytes = 2 * frame + HANDLERS_BYTES;
	is_restored_first = kernel_version() >= STACK_IS_RESTORED_FIRST_SINCE;
}

bool alternate_stacks_are_given(void)
{
	return room_bytes;
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

bool alternate_stack_is_set(const struct thread *self)
{
	stack_t now;

	return self->alternate_stack && !exchange(NULL, &now) &&
	       is_ours(self, &now);
}

/* Ours takes the place of the host's, and that is noted. */
static void replace(void *thread)
{
	struct thread *self = thread;
	stack_t new = ours(self), now;

	if (exchange(NULL, &now) || is_ours(self, &now))
		return;
	hosts_stack_note(self, &now);
	exchange(&new, NULL);
}

/*
 * One that is in use the kernel lets nobody replace: but by the stack pointer
 * it tells whether it is. Nothing is on ours then, and no signal comes. False:
 * refused.
 */
static bool set_ours(struct thread *self)
{
	stack_t now;

	if (!exchange(NULL, &now) && now.ss_flags & SS_ONSTACK &&
	    !is_ours(self, &now))
		machine_call_on(self->alternate_stack + ALTERNATE_STACK_BYTES,
				replace, self);
	else
		replace(self);
	return alternate_stack_is_set(self);
}

bool alternate_stack_provide(struct thread *self)
{
	struct quiet before;
	bool is_set;

	/* First known, then used: a handler must know where it was entered. */
	if (!self->alternate_stack && room_bytes)
		self->alternate_stack =
			guarded_stack_map(ALTERNATE_STACK_BYTES);
	/* The host's won't do: what is on it may not be where the thread is. */
	if (!self->alternate_stack)
		return !room_bytes;
	before = quiet_begin();
	is_set = set_ours(self);
	quiet_end(&before);
	return is_set;
}

void alternate_stack_remove(struct thread *self)
{
	void *stack = self->alternate_stack;
	stack_t now;

	/* After seccomp it stays: nothing may be asked. */
	if (!stack || live_is_left() || exchange(NULL, &now))
		return;
	if (is_ours(self, &now)) {
		stack_t host = hosts_stack_told(self, 0);

		/* Refused where the thread ends on it: then it has to stay. */
		if (exchange(&host, NULL))
			return;
	}
	self->alternate_stack = NULL;
	guarded_stack_unmap(stack, ALTERNATE_STACK_BYTES);
}

/*
 * The kernel has the host's for the call, to judge. What is not new to the host
 * is to that: it has been given ours meanwhile.
 */
static int judge(struct thread *self, const stack_t *new)
{
	stack_t host = hosts_stack_told(self, 0), ours_again = ours(self);
	int err;

	exchange(&host, NULL);
	err = (int)exchange(new, NULL);
	if (!err)
		hosts_stack_keep(self, new);
	else if (err == -ENOMEM && hosts_stack_is(self, new))
		err = 0;
	/* Refused where the thread is on the new one already. */
	if (exchange(&ours_again, NULL) && !set_ours(self))
		timer_delete_own(self);
	return err;
}

/* The thread is not on the host's. */
static int change(struct thread *self, const stack_t *new, stack_t *old)
{
	stack_t had = hosts_stack_told(self, 0);
	struct quiet before;
	int err = 0;

	if (new) {
		before = quiet_begin();
		err = judge(self, new);
		quiet_end(&before);
	}
	if (err || !old)
		return err;
	/* As the kernel's: it has been changed all the same. */
	if (!memory_can_be_written(old, sizeof(*old)))
		return -EFAULT;
	*old = had;
	return 0;
}

/* The host's is in use, or nothing may be changed of what is known of it. */
static int answer(const struct thread *self, const stack_t *new, stack_t *old,
		  uintptr_t sp)
{
	bool is_in_use = stack_is_in_use(&self->hosts_stack, sp);
	long err;

	if (is_in_use && new)
		return memory_is_readable(new, sizeof(*new)) ? -EPERM : -EFAULT;
	err = exchange(new, old);
	if (!err && old && is_ours(self, old))
		*old = hosts_stack_told(self, sp);
	return (int)err;
}

static bool is_short_of_one(void)
{
	stack_t now;

	return !exchange(NULL, &now) && now.ss_size && now.ss_size < one_bytes;
}

/*
 * A short one will not do even for a signal that kills by default. A guest has
 * what it asks for: what is noted is its parent's.
 */
static bool needs_ours(const struct thread *self)
{
	bool is_loop = self->timer && live_recording();

	return (is_loop || is_short_of_one()) && process_memory();
}

/* The kernel has the host's, or none. */
static int ask_kernel(struct thread *self, const stack_t *new, stack_t *old)
{
	long err = exchange(new, old);

	if (!err && new && !self->alternate_stack)
		hosts_stack_keep(self, new);
	if (err || !new || live_is_left() || thread_is_over(self) ||
	    !needs_ours(self))
		return (int)err;
	/* It may be no loop, and would end without. */
	if (!self->record)
		pthread_setspecific(thread_key, self);
	if (!alternate_stack_provide(self) && self->timer &&
	    self->recording == live_recording())
		timer_give_up(self);
	return 0;
}

int alternate_stack_of_host(const stack_t *new, stack_t *old)
{
	struct thread *self = &thread_self;
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
	stack_t now;

	if (!self->alternate_stack)
		return ask_kernel(self, new, old);
	/* One system call, as natively. */
	if (live_is_left() || stack_is_in_use(&self->hosts_stack, sp))
		return answer(self, new, old, sp);
	if (exchange(NULL, &now) || !is_ours(self, &now))
		return ask_kernel(self, new, old);
	/* A guest's is its own, and its parent has another. */
	return process_memory() ? change(self, new, old)
				: answer(self, new, old, sp);
}

bool alternate_stack_hide(struct thread *self, ucontext_t *uc)
{
	if (!is_ours(self, &uc->uc_stack))
		return false;
	uc->uc_stack = self->hosts_stack;
	/* Each signal does it. */
	if ((unsigned int)uc->uc_stack.ss_flags & AUTODISARM)
		self->hosts_stack = no_stack;
	return true;
}

/* As the kernel restores it. */
void alternate_stack_show(struct thread *self, ucontext_t *uc)
{
	uintptr_t sp = is_restored_first ? (uintptr_t)uc : context_sp(uc);
	stack_t had = uc->uc_stack;

	if (!self->alternate_stack)
		return;
	uc->uc_stack = ours(self);
	if (!stack_is_in_use(&self->hosts_stack, sp))
		hosts_stack_keep(self, &had);
}

void alternate_stack_place(const struct thread *self, const ucontext_t *uc,
			   bool has_entered, struct frame_move *move)
{
	const stack_t *host = &self->hosts_stack;
	bool is_in_use = has_entered ? stack_is_at(host, context_sp(uc))
				     : stack_is_in_use(host, context_sp(uc));

	move->floor = (uintptr_t)host->ss_sp;
	move->top = host->ss_size && !is_in_use ? move->floor + host->ss_size
						: context_frame_top(uc);
	if (!host->ss_size)
		move->floor = 0;
}

bool alternate_stack_is_short(const ucontext_t *uc)
{
	const stack_t *stack = &uc->uc_stack;

	return (uintptr_t)uc - (uintptr_t)stack->ss_sp < stack->ss_size &&
	       stack->ss_size < room_bytes;
}
