/*
 * Waits for signals, and descriptors that read them. The host never receives a
 * tick by them, and no tick breaks them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include <sys/signalfd.h>

#include "hook_pointer.h"
#include "hook_sigset.h"
#include "hook_work.h"
#include "sigsafe/loops/watch.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/signals/default_action.h"
#include "sigsafe/signals/host_signal.h"
#include "sigsafe/signals/signal_entry.h"

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){
		.tv_sec = (time_t)(ns / NS_PER_S),
		.tv_nsec = (long)(ns % NS_PER_S),
	};
}

/* Of a timeout, what is left; NULL stays NULL. */
static const struct timespec *left_of(const struct timespec *timeout,
				      uint64_t begun_ns, struct timespec *left)
{
	uint64_t passed_ns = clock_now_ns() - begun_ns;
	uint64_t for_ns;

	if (!timeout)
		return NULL;
	for_ns = clock_span_ns(timeout->tv_sec, timeout->tv_nsec);
	*left = timespec_of(for_ns > passed_ns ? for_ns - passed_ns : 0);
	return left;
}

/*
 * A signal may have gone to another thread, of which the host believes that it
 * has it blocked, and comes back from there: until then nothing has broken the
 * wait. A late tick, sent before the host claimed its signal, is none either.
 */
static bool is_waited_away(int sig, const sigset_t *set, const siginfo_t *info,
			   uint32_t handlers)
{
	if (sig > 0)
		return signal_is_tick(info);
	return errno == EINTR && thread_self.host_handlers == handlers &&
	       sigset_bits(set) & tick_signals_open() & ~tick_signal_set();
}

static int wait_for_hosts(const sigset_t *set, siginfo_t *info,
			  const struct timespec *timeout)
{
	uint64_t begun_ns = clock_now_ns();
	uint32_t handlers = thread_self.host_handlers;
	int errno_before = errno;
	int sig = real.sigtimedwait(set, info, timeout);
	struct timespec left;

	while (unlikely(is_waited_away(sig, set, info, handlers))) {
		errno = errno_before;
		sig = real.sigtimedwait(set, info,
					left_of(timeout, begun_ns, &left));
	}
	return sig;
}

static bool can_be_read(const sigset_t *set)
{
	return pointer_can_be_read(set, sizeof(kernel_sigset)) ||
	       !result_of(-EFAULT);
}

static int wait_for(enum blocking_call call, const sigset_t *set,
		    siginfo_t *info, const struct timespec *timeout,
		    const struct call_site *from)
{
	siginfo_t got;
	struct block block;
	bool works;
	int sig;

	if (unlikely(!can_be_read(set)))
		return -1;
	host_sigset_claimed(sigset_bits(set));
	default_action_is_awaited(sigset_bits(set));
	works = hook_may_work(from, true);
	block = works ? hook_work_begin(call, from,
					timeout ? BLOCK_AT_DEADLINE
						: BLOCK_BY_OTHERS)
		      : watch_block_begin(call, (const void *)from->pc);
	/* For the tick signal as well: anybody may send it. */
	sig = wait_for_hosts(set, &got, timeout);
	hook_work_end(works, &block);
	if (sig <= 0 || !info)
		return sig;
	/* As the kernel's: the signal has been taken all the same. */
	if (!pointer_can_be_written(info, sizeof(*info)))
		return result_of(-EFAULT);
	*info = got;
	return sig;
}

HOOK int sigtimedwait(const sigset_t *set, siginfo_t *info,
		      const struct timespec *timeout)
{
	struct call_site from = CALL_SITE_HERE;

	return wait_for(CALL_SIGTIMEDWAIT, set, info, timeout, &from);
}

HOOK int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	struct call_site from = CALL_SITE_HERE;

	return wait_for(CALL_SIGWAITINFO, set, info, NULL, &from);
}

/* As libc's: a handler that ran meanwhile does not end it. */
HOOK int sigwait(const sigset_t *set, int *sig)
{
	struct call_site from = CALL_SITE_HERE;
	int got;

	do
		got = wait_for(CALL_SIGWAIT, set, NULL, NULL, &from);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return errno;
	*sig = got;
	return 0;
}

HOOK int signalfd(int fd, const sigset_t *set, int flags)
{
	sigset_t given;

	if (unlikely(!can_be_read(set)))
		return -1;
	default_action_is_awaited(sigset_bits(set));
	sigset_assign(&given, host_sigset_claimed(sigset_bits(set)));
	return real.signalfd(fd, &given, flags);
}

#define SUSPENDED(result, call)                                                \
	struct block block = watch_block_begin(CALL_SIGSUSPEND, CALLER);       \
	int result = call;                                                     \
                                                                               \
	watch_block_end(&block)

HOOK int sigsuspend(const sigset_t *mask)
{
	SUSPENDED(err, real.sigsuspend(mask));
	return err;
}

HOOK_ALSO(sigsuspend, __sigsuspend);

/* <signal.h> gives the name sigpause to X/Open's, and hides the others. */
HOOK int __xpg_sigpause(int sig);
HOOK int bsd_sigpause(int mask) __asm__("sigpause");
HOOK int __sigpause(int sig_or_mask, int is_sig);

int __xpg_sigpause(int sig)
{
	SUSPENDED(err, real.__xpg_sigpause(sig));
	return err;
}

int bsd_sigpause(int mask)
{
	SUSPENDED(err, real.sigpause(mask));
	return err;
}

int __sigpause(int sig_or_mask, int is_sig)
{
	SUSPENDED(err, real.__sigpause(sig_or_mask, is_sig));
	return err;
}
