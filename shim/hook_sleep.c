/*
 * Sleeps. In a run ticks come in them, so that a long one is seen while it
 * lasts: a sleep that a tick broke is continued by ppoll() of nothing, which
 * takes a signal mask (lib/sigsafe/loops/wait.h says why). Where it can't be,
 * as by another clock, no tick comes in it (hook_block.h).
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include <errno.h>
#include <string.h>

#include "hook_block.h"
#include "hook_left.h"
#include "hook_unwound.h"
#include "hook_work.h"
#include "sigsafe/loops/wait.h"
#include "sigsafe/os/memory.h"
#include "sigsafe/signals/tick_signal.h"
#include "sigsafe/walk/walk.h"

struct nap {
	uint64_t begun_ns; /* 0: no tick comes in it */
	uint64_t for_ns;
	struct block block;	/* where none comes */
	bool works;		/* it may be parked (hook_work.h) */
	struct timespec *left;	/* to be told what is left; or NULL */
	struct timespec before; /* what is there now */
};

static cold void open_work(struct nap *nap, enum blocking_call call,
			   const struct call_site *from)
{
	nap->works = true;
	nap->block = hook_work_begin(call, from, BLOCK_SLEEPS);
}

static cold void open_nap(struct nap *nap, enum blocking_call call,
			  const void *caller)
{
	uint64_t now_ns = clock_now_ns();

	if (wait_sleeps(call))
		nap->begun_ns = now_ns;
	else
		nap->block = watch_block_begin(call, caller);
}

static __attribute__((always_inline)) inline struct nap
nap_begin(enum blocking_call call, uint64_t for_ns)
{
	struct call_site from = CALL_SITE_HERE;
	struct nap nap = { .for_ns = for_ns };

	CLOSES_WAIT_UNWOUND;
	if (hook_may_work(&from, for_ns > PARK_NEAR_NS))
		open_work(&nap, call, &from);
	else if (hook_is_ticked())
		open_nap(&nap, call, CALLER);
	else if (unlikely(tick_signals_open()))
		nap.block = watch_block_begin(call, CALLER);
	return nap;
}

/* False: it can't be read, as the call will find. */
static bool read_time(const struct timespec *time, struct timespec *copy)
{
	struct memory memory;
	const uint8_t *bytes;

	memory_begin(&memory, copy);
	bytes = memory_view(&memory, (uintptr_t)time, sizeof(*copy));
	if (bytes)
		memcpy(copy, bytes, sizeof(*copy));
	return bytes;
}

static cold void open_timed(struct nap *nap, enum blocking_call call,
			    const struct timespec *want, struct timespec *left,
			    const void *caller)
{
	/*
	 * Elsewhere, and where it can't be, nothing may be written unless the
	 * sleep is broken by the host.
	 */
	if ((left && left != want) || !read_time(want, &nap->before) ||
	    (left && !memory_can_be_written(left, sizeof(*left)))) {
		nap->block = watch_block_begin(call, caller);
		return;
	}
	/* Whether it can be written was tried by writing: it is *want, too. */
	if (left)
		*left = nap->before;
	nap->left = left;
	nap->for_ns = timespec_ns(&nap->before);
	open_nap(nap, call, caller);
}

/* Asked of what is slept for, if that can be read. */
static cold bool may_work_for(const struct call_site *from,
			      const struct timespec *want)
{
	struct timespec time;

	return hook_work_asked(from, read_time(want, &time) &&
					     timespec_ns(&time) > PARK_NEAR_NS);
}

/* The same until a time. */
static cold bool may_work_until(const struct call_site *from,
				const struct timespec *until)
{
	struct timespec time;

	return hook_work_asked(from, read_time(until, &time) &&
					     hook_park_is_far(&time));
}

/* Of a call that may tell what is left. */
static __attribute__((always_inline)) inline struct nap
nap_begin_timed(enum blocking_call call, const struct timespec *want,
		struct timespec *left)
{
	struct call_site from = CALL_SITE_HERE;
	struct nap nap = { .begun_ns = 0 };

	CLOSES_WAIT_UNWOUND;
	if (unlikely(park_own_asks(&from)) && may_work_for(&from, want))
		open_work(&nap, call, &from);
	else if (hook_is_ticked())
		open_timed(&nap, call, want, left, CALLER);
	else if (unlikely(tick_signals_open()))
		nap.block = watch_block_begin(call, CALLER);
	return nap;
}

/*
 * ppoll() may be late by 0.1 % of its time, and by 0.5 % in a nice process
 * (select_estimate_accuracy() in fs/select.c of Linux), a sleep by 50 us. So a
 * longer one is continued for 99 % of what is left first.
 */
#define SHORT_SLEEP_NS (10 * NS_PER_MS)

static const struct timespec *next_part(const struct nap *nap,
					struct timespec *left)
{
	uint64_t left_ns = wait_left_ns(nap->begun_ns, nap->for_ns);
	uint64_t later_ns = left_ns > SHORT_SLEEP_NS ? left_ns / 100 : 0;

	if (nap->for_ns == FOR_EVER_NS)
		return NULL;
	return left_of(nap->begun_ns, nap->for_ns - later_ns, left);
}

static bool is_over(const struct nap *nap, int got)
{
	if (got)
		return !wait_was_broken(got);
	return !wait_left_ns(nap->begun_ns, nap->for_ns);
}

/* 0; or -1 with EINTR: a signal of the host's has broken it. */
static CONTINUES_A_CALL int go_on(const struct nap *nap)
{
	struct timespec left;
	int got;

	CLOSES_WAIT_UNWOUND;
	do
		got = real.ppoll(NULL, 0, next_part(nap, &left),
				 wait_mask(NULL));
	while (!is_over(nap, got));
	wait_forget_tick(got);
	if (nap->left && !got)
		*nap->left = nap->before;
	else if (nap->left)
		left_of(nap->begun_ns, nap->for_ns, nap->left);
	return got;
}

/*
 * The call has returned got, and goes on if a tick broke it. broken: what it
 * returns for a signal of the host's.
 */
static inline int nap_end(const struct nap *nap, int got, int broken)
{
	hook_work_end(nap->works, &nap->block);
	if (likely(!nap->begun_ns))
		return got;
	if (thread_self.tick_broke_wait)
		got = go_on(nap) ? broken : 0;
	wait_end(got);
	return got;
}

HOOK unsigned int sleep(unsigned int seconds)
{
	struct nap nap = nap_begin(CALL_SLEEP, seconds * NS_PER_S);
	unsigned int left = real.sleep(seconds);
	bool is_ticked = nap.begun_ns && thread_self.tick_broke_wait;
	int got = nap_end(&nap, 0, -1);

	if (likely(!is_ticked))
		return left;
	return got ? (unsigned int)(wait_left_ns(nap.begun_ns, nap.for_ns) /
				    NS_PER_S)
		   : 0;
}

HOOK int usleep(useconds_t us)
{
	struct nap nap = nap_begin(CALL_USLEEP, us * NS_PER_US);

	return nap_end(&nap, real.usleep(us), -1);
}

HOOK int pause(void)
{
	struct nap nap = nap_begin(CALL_PAUSE, FOR_EVER_NS);

	return nap_end(&nap, real.pause(), -1);
}

HOOK int nanosleep(const struct timespec *want, struct timespec *left)
{
	struct nap nap = nap_begin_timed(CALL_NANOSLEEP, want, left);

	return nap_end(&nap, real.nanosleep(want, left), -1);
}

HOOK_ALSO(nanosleep, __nanosleep);

/* The rest leave errno alone. */
static int end_without_errno(const struct nap *nap, int got, int broken)
{
	int before = errno;

	got = nap_end(nap, got, broken);
	errno = before;
	return got;
}

HOOK int thrd_sleep(const struct timespec *want, struct timespec *left)
{
	struct nap nap = nap_begin_timed(CALL_THRD_SLEEP, want, left);

	return end_without_errno(&nap, real.thrd_sleep(want, left), -1);
}

/* Up to a time, or by a clock that does not pass as ours does. */
static bool is_of_own_kind(clockid_t clock, int flags)
{
	return flags || (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME);
}

HOOK int clock_nanosleep(clockid_t clock, int flags,
			 const struct timespec *want, struct timespec *left)
{
	struct call_site from = CALL_SITE_HERE;
	struct nap nap = { .begun_ns = 0 };

	if (!is_of_own_kind(clock, flags))
		nap = nap_begin_timed(CALL_CLOCK_NANOSLEEP, want, left);
	else if (unlikely(park_own_asks(&from)) && may_work_until(&from, want))
		open_work(&nap, CALL_CLOCK_NANOSLEEP, &from);
	else
		nap.block = watch_block_begin(CALL_CLOCK_NANOSLEEP, CALLER);
	return end_without_errno(
		&nap, real.clock_nanosleep(clock, flags, want, left), EINTR);
}
