/*
 * Places of handlers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/handler_place.h"

#include "sigsafe/alternate_stack.h"
#include "sigsafe/disposition.h"
#include "sigsafe/live.h"
#include "sigsafe/signal_entry.h"
#include "sigsafe/thread.h"

static bool was_on_ours(const ucontext_t *uc)
{
	return alternate_stack_holds(&thread_self, context_sp(uc));
}

/*
 * What uc has interrupted: is it a handler that has done nothing but to come in
 * here? Not a tick, which is handled on ours.
 */
static bool is_entering(const ucontext_t *uc)
{
	if (context_pc(uc) == (uintptr_t)signal_entry)
		return !signal_is_tick(context_handlers_info(uc));
	return thread_self.entering && was_on_ours(uc);
}

/* To where the kernel would have put it; NULL where it would have refused. */
static ucontext_t *move(ucontext_t *uc, bool is_tried)
{
	struct frame_move place = { .is_tried = is_tried };

	alternate_stack_place(&thread_self, uc,
			      context_pc(uc) == (uintptr_t)signal_entry,
			      &place);
	return machine_move_signal_frame(uc, &place);
}

static ucontext_t *entering(const ucontext_t *uc)
{
	return context_pc(uc) == (uintptr_t)signal_entry
		       ? context_handlers_context(uc)
		       : thread_self.entering;
}

/* It starts anew, in its own place. */
static void start_in_place(ucontext_t *uc, ucontext_t *moved)
{
	if (context_pc(uc) != (uintptr_t)signal_entry) {
		context_restart_handler(uc, signal_entry, thread_self.way_back);
		thread_self.entering = NULL;
	}
	context_move_handler(uc, moved);
}

/*
 * Puts the handler that uc has interrupted on ours in its place, and first
 * those that this has interrupted in turn, of which there are no more than
 * signals.
 */
static bool settle(ucontext_t *uc)
{
	ucontext_t *below, *moved;

	if (!is_entering(uc))
		return false;
	below = entering(uc);
	if (was_on_ours(below) && !settle(below))
		return false;
	moved = move(below, false);
	if (moved)
		start_in_place(uc, moved);
	return moved;
}

bool handler_is_out_of_place(int sig, ucontext_t *uc)
{
	return alternate_stack_holds(&thread_self, (uintptr_t)uc) &&
	       disposition_is_handled(sig) && (!was_on_ours(uc) || settle(uc));
}

/*
 * Sent while it is blocked, it comes when the mask of what was interrupted is
 * back, and finds its registers. As in the kernel's force_sig(): blocked or
 * ignored, it kills.
 */
static cold void refuse(int sig, ucontext_t *uc)
{
	const kernel_sigset fault = SIGNAL_BIT(SIGSEGV);
	const siginfo_t info = { .si_signo = SIGSEGV, .si_code = SI_KERNEL };
	kernel_sigset *mask = context_mask(uc);

	sys_sigprocmask(SIG_BLOCK, &fault, NULL);
	if (sig == SIGSEGV || *mask & fault || !disposition_is_handled(SIGSEGV))
		disposition_reset(SIGSEGV);
	*mask &= ~fault;
	sys4(SYS_rt_tgsigqueueinfo, sys_getpid(), sys_gettid(), SIGSEGV, &info);
}

void handler_put_in_place(int sig, ucontext_t *uc, const void *way_back)
{
	ucontext_t *moved;

	thread_self.way_back = way_back;
	thread_self.entering = uc;
	/* A fault while faults are blocked would kill in the middle of it. */
	moved = move(uc, sig == SIGSEGV && !live_is_left());
	thread_self.entering = NULL;
	if (moved)
		machine_enter_handler(sig, moved, way_back, signal_entry);
	refuse(sig, uc);
}

bool handler_place_is_refused(const siginfo_t *info, ucontext_t *uc)
{
	return info->si_code > 0 && machine_leave_copy(uc);
}
