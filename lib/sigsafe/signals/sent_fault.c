/*
 * Sent signals of faults.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/signals/sent_fault.h"

#include "sigsafe/signals/send_again.h"

#define TAKEN (-1)

struct sent_fault {
	int32_t holder; /* the thread that keeps it, by id; 0: none; or TAKEN */
	siginfo_t info; /* written and read by that thread alone */
	kernel_sigset pends; /* its set, while it is kept, if the process's */
};

static struct sent_fault kept[SENT_FAULTS];

uint32_t sent_faults_kept;

/* Relaxed: set by a thread before it sends one, by which it is handed on. */
static bool are_queued;

void sent_faults_are_queued(void)
{
	store_relaxed(&are_queued, true);
}

static bool is_threads(const siginfo_t *info)
{
	return signal_is_threads(info) ||
	       (info->si_code == SI_QUEUE && load_relaxed(&are_queued));
}

/* Has the thread such a one? The process's pends for itself. */
static bool stands_for(const struct sent_fault *other, int tid,
		       const siginfo_t *info)
{
	return load_relaxed(&other->holder) == tid &&
	       other->info.si_signo == info->si_signo &&
	       is_threads(&other->info) == is_threads(info);
}

/* Pairs with the release in let_go(). */
static bool take(struct sent_fault *place)
{
	int32_t none = 0;

	return !load_relaxed(&place->holder) &&
	       cas_acq_rel(&place->holder, &none, TAKEN);
}

/* The other of the two may come in between, and must not find it half kept. */
static void fill(struct sent_fault *place, int tid, const siginfo_t *info)
{
	place->info = *info;
	if (!is_threads(info))
		store_release(&place->pends, SIGNAL_BIT(info->si_signo));
	add_relaxed(&sent_faults_kept, 1);
	store_release(&place->holder, tid);
}

cold bool sent_fault_keep(const siginfo_t *info)
{
	int tid = sys_gettid();

	for (unsigned i = 0; i < SENT_FAULTS; i++)
		if (stands_for(&kept[i], tid, info))
			return true;
	for (unsigned i = 0; i < SENT_FAULTS; i++) {
		if (!take(&kept[i]))
			continue;
		fill(&kept[i], tid, info);
		return true;
	}
	return false;
}

/*
 * Those of which one pends here in any case. A second one that was sent to the
 * process would be merged with that.
 */
static kernel_sigset sent_to_thread(int tid)
{
	kernel_sigset set = 0;

	for (unsigned i = 0; i < SENT_FAULTS; i++)
		if (load_relaxed(&kept[i].holder) == tid &&
		    is_threads(&kept[i].info))
			set |= SIGNAL_BIT(kept[i].info.si_signo);
	return set;
}

/* Pairs with take(): it is another's place then. */
static void let_go(struct sent_fault *fault)
{
	sub_release(&sent_faults_kept, 1);
	store_release(&fault->holder, 0);
}

static void send(struct sent_fault *fault, kernel_sigset pending)
{
	const siginfo_t *info = &fault->info;
	int sig = info->si_signo;

	/* First: it may come to another thread, and be over, at once. */
	store_release(&fault->pends, 0);
	if (is_threads(info) || !(pending & SIGNAL_BIT(sig)))
		signal_send_here(sig, info);
	else
		signal_send_to_process(sig, info);
	let_go(fault);
}

cold void sent_faults_return(kernel_sigset hosts)
{
	const kernel_sigset all = ~UINT64_C(0);
	int tid = sys_gettid();
	kernel_sigset pending, before;

	/* They come when all have been sent, and no tick meanwhile. */
	sys_sigprocmask(SIG_SETMASK, &all, &before);
	pending = hosts | sent_to_thread(tid);
	for (unsigned i = 0; i < SENT_FAULTS; i++)
		if (load_relaxed(&kept[i].holder) == tid)
			send(&kept[i], pending);
	sys_sigprocmask(SIG_SETMASK, &before, NULL);
}

cold void sent_faults_drop(int sig)
{
	int tid = sys_gettid();

	for (unsigned i = 0; i < SENT_FAULTS; i++)
		if (load_relaxed(&kept[i].holder) == tid &&
		    kept[i].info.si_signo == sig) {
			store_release(&kept[i].pends, 0);
			let_go(&kept[i]);
		}
}

cold kernel_sigset sent_faults_of_process(void)
{
	kernel_sigset set = 0;

	/* Acquire pairs with fill() and send(): the kernel is asked as well.
	 */
	for (unsigned i = 0; i < SENT_FAULTS; i++)
		set |= load_acquire(&kept[i].pends);
	return set;
}

void sent_faults_reset(void)
{
	for (unsigned i = 0; i < SENT_FAULTS; i++) {
		store_relaxed(&kept[i].pends, 0);
		store_relaxed(&kept[i].holder, 0);
	}
	store_relaxed(&sent_faults_kept, 0);
}
