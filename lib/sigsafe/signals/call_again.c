/*
 * Calls made once more.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/signals/call_again.h"

#include <linux/futex.h>

#include "sigsafe/signals/disposition.h"
#include "sigsafe/thread.h"

/* Others that the kernel makes again never return EINTR. */
static const uint16_t breakable[] = {
	SYS_read,	  SYS_readv,	       SYS_write,    SYS_writev,
	SYS_recvfrom,	  SYS_recvmsg,	       SYS_recvmmsg, SYS_sendto,
	SYS_sendmsg,	  SYS_sendmmsg,	       SYS_sendfile, SYS_splice,
	SYS_accept,	  SYS_accept4,	       SYS_connect,  SYS_flock,
	SYS_fcntl,	  SYS_wait4,	       SYS_waitid,   SYS_openat,
	SYS_mq_timedsend, SYS_mq_timedreceive, SYS_preadv2,  SYS_pwritev2,
#ifdef SYS_open
	SYS_open,
#endif
};

static bool is_futex_wait(long operation)
{
	operation &= FUTEX_CMD_MASK;
	return operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET;
}

static bool may_be_broken(long number, const ucontext_t *uc)
{
	if (number == SYS_futex)
		return is_futex_wait(context_argument(uc, 1));
	for (size_t i = 0; i < ARRAY_SIZE(breakable); i++)
		if (breakable[i] == number)
			return true;
	return false;
}

void call_again_tick(struct thread *self, const ucontext_t *uc)
{
	long number = context_call_again(uc);

	self->call_again_pc =
		number >= 0 && may_be_broken(number, uc) ? context_pc(uc) : 0;
}

void call_again_interrupt(struct thread *self, int sig, ucontext_t *uc)
{
	uintptr_t pc = self->call_again_pc;

	self->call_again_pc = 0;
	if (likely(!pc || context_pc(uc) != pc) || disposition_restarts(sig) ||
	    context_call_again(uc) < 0)
		return;
	context_leave_call(uc, -EINTR);
}
