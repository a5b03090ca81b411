/*
 * Places of handlers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/signals/handler_place.h"

#include "sigsafe/live.h"
#include "sigsafe/signals/disposition.h"
#include "sigsafe/signals/signal_entry.h"
#include "sigsafe/stacks/alternate_stack.h"
#include "sigsafe/thread.h"

static bool was_on_ours(const ucontext_t *uc)
{
	return alternate_stack_holds(&thread_self, context_sp(uc));
}

/*
 * The context of the handler that was entered last, while it may still have to
 * be put in its place; or NULL. In its uc_link, which the kernel has no use
 * for, is that of the one before it.
 */
static __thread ucontext_t *volatile handler_entering
	__attribute__((tls_model("initial-exec"), used));

MACHINE_NOTING_ENTRY(signal_entry, handler_entering, signal_enter);

extern const char signal_entry_end[] __attribute__((visibility("hidden")));

/* What it was given is in the registers still. */
static bool is_at_entry(const ucontext_t *uc)
{
	return context_pc(uc) - (uintptr_t)signal_entry <
	       (uintptr_t)signal_entry_end - (uintptr_t)signal_entry;
}

/*
 * What uc has interrupted: is it a handler that has done nothing but to come in
 * here? Not a tick, which is handled on ours. (Nor that of a guest, which notes
 * its own in the same place.)
 */
static bool is_entering(const ucontext_t *uc, const ucontext_t *noted)
{
	if (is_at_entry(uc))
		return !signal_is_tick(context_handlers_info(uc));
	return was_on_ours(uc) &&
	       alternate_stack_holds(&thread_self, (uintptr_t)noted);
}

/* To where the kernel would have put it; NULL where it would have refused. */
static ucontext_t *move(ucontext_t *uc, bool is_tried)
{
	struct frame_move place = { .is_tried = is_tried };

	alternate_stack_place(&thread_self, uc, is_at_entry(uc), &place);
	return machine_move_signal_frame(uc, &place);
}

/*
 * Puts the handler that uc has interrupted on ours in its place, and first
 * those that this has interrupted in turn, of which there are no more than
 * signals. It starts anew there, with the same way back as ours: the kernel's,
 * or libc's. noted: the last that was noted then.
 */
static bool settle(ucontext_t *uc, ucontext_t *noted, const void *way_back)
{
	ucontext_t *below, *moved;

	if (!is_entering(uc, noted))
		return false;
	below = is_at_entry(uc) ? context_handlers_context(uc) : noted;
	if (noted == below)
		noted = below->uc_link;
	if (was_on_ours(below) && !settle(below, noted, way_back))
		return false;
	moved = move(below, false);
	if (!moved)
		return false;
	context_restart_handler(uc, signal_entry, way_back);
	context_move_handler(uc, moved);
	return true;
}

bool handler_is_out_of_place(int sig, ucontext_t *uc, const void *way_back)
{
	return alternate_stack_holds(&thread_self, (uintptr_t)uc) &&
	       disposition_is_handled(sig) &&
	       (!was_on_ours(uc) || settle(uc, uc->uc_link, way_back));
}

/* One that is not on ours has interrupted nothing there. */
void handler_stays(ucontext_t *uc)
{
	bool is_on_ours = alternate_stack_holds(&thread_self, (uintptr_t)uc);

	handler_entering = is_on_ours ? uc->uc_link : NULL;
	uc->uc_link = NULL;
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

	/* A fault while faults are blocked would kill in the middle of it. */
	moved = move(uc, sig == SIGSEGV && !live_is_left());
	if (moved)
		machine_enter_handler(sig, moved, way_back, signal_entry);
	handler_stays(uc);
	refuse(sig, uc);
}

bool handler_place_is_refused(const siginfo_t *info, ucontext_t *uc)
{
	return info->si_code > 0 && machine_leave_copy(uc);
}
