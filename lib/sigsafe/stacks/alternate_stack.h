/*
 * The alternate stack of a thread that has a timer. Its ticks are handled
 * there: what they interrupt may be a coroutine that has less left than the
 * frame of a signal takes, and the host's alternate stack may be as short, or
 * no longer mapped. Owns that stack, and how the host sees alternate stacks:
 * as if ours were not there.
 *
 * The kernel has ours; the host's, if it has one, is noted, and the host is
 * answered as the kernel would answer if it had that one. Where the host goes
 * round the hook with a raw system call it is the kernel that remembers: ticks
 * are handled where that then says. No call of the host ever unmaps ours. A
 * guest in its parent's memory is given what it wants by the kernel alone.
 *
 * Nothing of the host runs on ours: a handler that the kernel enters there is
 * moved to where it would be natively, on the host's stack or on the one that
 * was interrupted (machine_move_signal_frame()). All of it is signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_STACKS_ALTERNATE_STACK_H
#define SIGSAFE_STACKS_ALTERNATE_STACK_H

#include <signal.h>
#include <ucontext.h>

#include "sigsafe/thread.h"

/*
 * Room for the frames of as many signals as there are, at one instant. Of this,
 * what is never used takes no memory.
 */
#define ALTERNATE_STACK_BYTES (256u << 10)

/*
 * Called once, at the start; where it is not, no thread gets one of ours.
 * frame_bytes: the most that the frame of a signal takes here (getauxval(3),
 * AT_MINSIGSTKSZ); 0: not known.
 */
void alternate_stack_start(size_t frame_bytes);

/* Was it, so that loops get one? */
bool alternate_stacks_are_given(void);

/*
 * Gives the calling thread one of ours, unless it has one already: even while
 * it is on the host's, where a tick may have no room, and which the kernel
 * would enter at the top once a handler there has gone to another stack. False:
 * there is no memory, or the kernel refuses, so no tick may come.
 */
bool alternate_stack_provide(struct thread *self);

/*
 * Has the kernel ours for the calling thread? It has not where the host has
 * gone round the hook, nor for a guest that is no vfork child: one that runs
 * beside the thread whose memory, and whose struct thread, it has. One system
 * call.
 */
bool alternate_stack_is_set(const struct thread *self);

/* Takes ours back, when the thread ends: the kernel has the host's again. */
void alternate_stack_remove(struct thread *self);

/* sigaltstack(2) as the host means it. 0 or -errno. */
int alternate_stack_of_host(const stack_t *new, stack_t *old);

/* Does address lie in ours? */
static inline bool alternate_stack_holds(const struct thread *self,
					 uintptr_t address)
{
	return self->alternate_stack &&
	       address - (uintptr_t)self->alternate_stack <
		       ALTERNATE_STACK_BYTES;
}

/*
 * Was the handler that has this context entered on an alternate stack of the
 * host's that has no room for a tick besides? Handler only.
 */
bool alternate_stack_is_short(const ucontext_t *uc);

/*
 * For a handler that was entered on ours with this context: where the kernel
 * would have entered it, and how far down its frame may go. has_entered: what
 * it has interrupted is a handler of the host's that has not begun, and so not
 * yet given up a stack that is given up on entry. Handler only.
 */
void alternate_stack_place(const struct thread *self, const ucontext_t *uc,
			   bool has_entered, struct frame_move *move);

/*
 * Around a handler of the host: what its context says of the alternate stack,
 * and what the kernel will take from there when the handler returns. show is to
 * be called where hide has said true, or the thread was given ours meanwhile.
 * Handler only.
 */
bool alternate_stack_hide(struct thread *self, ucontext_t *uc);
void alternate_stack_show(struct thread *self, ucontext_t *uc);

#endif
