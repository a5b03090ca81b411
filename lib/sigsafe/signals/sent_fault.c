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
};

static struct sent_fault kept[SENT_FAULTS];

uint32_t sent_faults_kept;

/* Has the thread such a one? What goes to the process pends for itself. */
static bool stands_for(const struct sent_fault *other, int tid,
		       const siginfo_t *info)
{
	return load_relaxed(&other->holder) == tid &&
	       other->info.si_signo == info->si_signo &&
	       signal_is_threads(&other->info) == signal_is_threads(info);
}

/* Pairs with the release in send(). */
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

static void send(struct sent_fault *fault)
{
	signal_send_again(fault->info.si_signo, &fault->info);
	sub_release(&sent_faults_kept, 1);
	/* Pairs with take(): it is another's place then. */
	store_release(&fault->holder, 0);
}

cold void sent_faults_return(void)
{
	const kernel_sigset all = ~UINT64_C(0);
	int tid = sys_gettid();
	kernel_sigset before;

	/* They come when all have been sent, and no tick meanwhile. */
	sys_sigprocmask(SIG_SETMASK, &all, &before);
	for (unsigned i = 0; i < SENT_FAULTS; i++)
		if (load_relaxed(&kept[i].holder) == tid)
			send(&kept[i]);
	sys_sigprocmask(SIG_SETMASK, &before, NULL);
}

void sent_faults_reset(void)
{
	for (unsigned i = 0; i < SENT_FAULTS; i++)
		store_relaxed(&kept[i].holder, 0);
	store_relaxed(&sent_faults_kept, 0);
}
