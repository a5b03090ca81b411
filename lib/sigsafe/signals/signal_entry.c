/*
 * The kernel's handler.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/signals/signal_entry.h"

#include "sigsafe/live.h"
#include "sigsafe/loops/wait.h"
#include "sigsafe/loops/watch.h"
#include "sigsafe/os/process.h"
#include "sigsafe/signals/call_again.h"
#include "sigsafe/signals/claim.h"
#include "sigsafe/signals/default_action.h"
#include "sigsafe/signals/disposition.h"
#include "sigsafe/signals/fault.h"
#include "sigsafe/signals/fault_mask.h"
#include "sigsafe/signals/handler_place.h"
#include "sigsafe/signals/hold.h"
#include "sigsafe/signals/quiet.h"
#include "sigsafe/signals/send_again.h"
#include "sigsafe/signals/tick_signal.h"
#include "sigsafe/stacks/alternate_stack.h"
#include "sigsafe/thread.h"

#define IGNORED_BY_DEFAULT                                                     \
	(SIGNAL_BIT(SIGCHLD) | SIGNAL_BIT(SIGCONT) | SIGNAL_BIT(SIGURG) |      \
	 SIGNAL_BIT(SIGWINCH))
/* The host's handler finds one frame of ours below its own. */
#define ONE_FRAME inline __attribute__((always_inline)) void

bool signal_is_tick(const siginfo_t *info)
{
	return info->si_code == SI_TIMER &&
	       info->si_value.sival_ptr == &thread_self;
}

/* Natively no signal would have come here. (In a wait: wait_tick().) */
static void hide_from_call(ucontext_t *uc)
{
	if (thread_self.waiting)
		return;
	transfer_tick(&thread_self, uc);
	call_again_tick(&thread_self, uc);
	transfer_arm(&thread_self);
}

static void stay_hidden(ucontext_t *uc)
{
	if (thread_self.waiting)
		wait_tick(&thread_self, uc);
	else
		transfer_put_off(&thread_self, uc);
	call_again_tick(&thread_self, uc);
}

static void on_tick(int sig, ucontext_t *uc)
{
	const kernel_sigset quiet = quiet_mask();
	bool was_quiet = quiet_enter();
	kernel_sigset *mask;

	machine_allow_accesses();
	/*
	 * A late one, from before the tick signal moved, has the mask of the
	 * host's own handler; and blocked faults kill. The return undoes this.
	 */
	if (sig != tick_signal() || *context_mask(uc) & FAULT_SIGNALS)
		sys_sigprocmask(SIG_SETMASK, &quiet, NULL);
	watch_tick(uc);
	hide_from_call(uc);
	/* The next one is to come where the thread blocks every signal. */
	mask = wait_mask_interrupted(uc);
	*mask = mask_of_kernel(mask_of_host(*mask));
	quiet_leave(*mask, was_quiet);
}

/*
 * The first process of a container is killed by no signal it does not want; but
 * by a fault, which would come again and again.
 */
static bool is_spared(int sig, const siginfo_t *info)
{
	return sys_getpid() == 1 &&
	       !(is_fault_signal(sig) && fault_is_made(sig, info));
}

static bool is_ignored(int sig, const siginfo_t *info, signal_handler *handler)
{
	return handler == IGNORE ||
	       (handler == DEFAULT &&
		(IGNORED_BY_DEFAULT & SIGNAL_BIT(sig) || is_spared(sig, info)));
}

/* Has the host blocked it, with every other, so that natively it would wait? */
static bool is_blocked_by_host(int sig, ucontext_t *uc)
{
	kernel_sigset mask = *wait_mask_interrupted(uc);

	return mask_of_host(mask) & ~mask & SIGNAL_BIT(sig);
}

/* From now on it is blocked indeed, and sent once more. */
static cold void put_off(int sig, const siginfo_t *info, ucontext_t *uc)
{
	const kernel_sigset itself = SIGNAL_BIT(sig);
	kernel_sigset *mask = wait_mask_interrupted(uc);
	uint32_t memory = process_memory();

	/* In here, too, where the host's handler has SA_NODEFER. */
	sys_sigprocmask(SIG_BLOCK, &itself, NULL);

	/* Before the tick signal moves: sig is open as that, or as its past. */
	*mask = mask_of_host(*mask);
	if (memory) {
		claim_sent(memory, sig);
		*mask = mask_of_kernel(*mask);
	}
	signal_send_to_pend(sig, info);
	claim_drop_late_tick(sig);
	stay_hidden(uc);
}

/* Until the handler returns, or what it jumps to restores the mask. */
static void hold_ticks(void)
{
	const kernel_sigset ticks = tick_signal_set();

	/* By now seccomp may kill for the call; and there are none. */
	if (!live_recording())
		return;
	sys_sigprocmask(SIG_BLOCK, &ticks, NULL);
}

/* With three arguments always: the kernel hands them to every handler. */
static ONE_FRAME call(int sig, siginfo_t *info, ucontext_t *uc,
		      signal_handler *handler)
{
	*context_mask(uc) = mask_of_host(*context_mask(uc));
	handler(sig, info, uc);
	*context_mask(uc) = mask_of_kernel(*context_mask(uc));
}

/* By now seccomp may kill for the call; and there are no ticks. */
static bool hold(int sig, const siginfo_t *info, const ucontext_t *uc)
{
	return unlikely(fault_may_end_host(sig, info)) && live_recording() &&
	       hold_begin(&thread_self, sig, uc);
}

/*
 * The host may jump out of its handler. (Then the thread counts as inside of it
 * for good, which costs the names in its last texts.)
 */
static ONE_FRAME call_watched(int sig, siginfo_t *info, ucontext_t *uc,
			      signal_handler *handler)
{
	struct blocked blocked = watch_interrupt();
	struct wait_state wait = wait_interrupt(uc);
	enum fault_mask mask = fault_mask_interrupt();
	bool holds = hold(sig, info, uc);
	struct transfer transfer;

	/* First: a call that it leaves is one the host's signal has broken. */
	call_again_interrupt(&thread_self, sig, uc);
	transfer = transfer_interrupt(uc);
	thread_self.host_handlers++;
	thread_self.handler_depth++;
	call(sig, info, uc, handler);
	thread_self.handler_depth--;
	fault_mask_resume(mask, uc);
	if (unlikely(holds))
		hold_end(&thread_self);
	transfer_resume(&transfer);
	watch_resume(&blocked, wait.waiting);
	wait_resume(&wait, uc);
}

/*
 * A guest that is no vfork child runs beside the thread whose memory it is in,
 * which goes on to wait and to be ticked; but that one's alternate stack it has
 * not, by which it is told without a system call.
 */
static bool is_beside(const char *alternate_stack, bool was_ours)
{
	return unlikely(alternate_stack && !was_ours) && !live_is_left() &&
	       !process_memory();
}

static ONE_FRAME call_host(int sig, siginfo_t *info, ucontext_t *uc,
			   signal_handler *handler)
{
	const char *had = thread_self.alternate_stack;
	bool was_ours = alternate_stack_hide(&thread_self, uc);

	if (unlikely(!was_ours && alternate_stack_is_short(uc)))
		hold_ticks();
	if (is_beside(had, was_ours))
		call(sig, info, uc, handler);
	else
		call_watched(sig, info, uc, handler);
	/* What a guest's parent was given meanwhile is none of the guest's. */
	if (was_ours ||
	    (unlikely(had != thread_self.alternate_stack) && process_memory()))
		alternate_stack_show(&thread_self, uc);
}

static cold bool is_ours(int sig, const siginfo_t *info, ucontext_t *uc)
{
	return handler_place_is_refused(info, uc) ||
	       fault_is_ours(sig, info, uc);
}

MACHINE_ALIGNS_STACK void signal_enter(int sig, siginfo_t *info, void *context)
{
	const void *way_back = __builtin_return_address(0);
	signal_handler *handler;
	bool was_quiet;

	if (unlikely(is_fault_signal(sig)) && is_ours(sig, info, context)) {
		handler_stays(context);
		return;
	}
	if (signal_is_tick(info)) {
		handler_stays(context);
		on_tick(sig, context);
		return;
	}
	/* Before anything is done: it is entered once more. */
	if (unlikely(handler_is_out_of_place(sig, context, way_back))) {
		handler_put_in_place(sig, context, way_back);
		return;
	}
	handler_stays(context);
	if (unlikely(is_blocked_by_host(sig, context))) {
		put_off(sig, info, context);
		return;
	}
	handler = disposition_take(sig);
	if (unlikely(is_ignored(sig, info, handler))) {
		/* Natively it would not have come to break a wait. */
		stay_hidden(context);
	} else if (unlikely(handler == DEFAULT && is_fault_signal(sig))) {
		fault_kills(sig, info, context);
	} else if (unlikely(handler == DEFAULT)) {
		was_quiet = quiet_enter();
		act_by_default(sig);
		quiet_leave(*context_mask(context), was_quiet);
	} else {
		call_host(sig, info, context, handler);
	}
}
