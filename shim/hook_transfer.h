/*
 * Round a hooked call that moves data (sigsafe/signals/transfer.h). Where no
 * tick can come that is one load and a branch.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_TRANSFER_H
#define SHIM_HOOK_TRANSFER_H

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "hook_block.h"
#include "hook_rest.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/signals/tick_signal.h"
#include "sigsafe/thread.h"

/* Does receiving with these flags go on until all bytes are there? */
static inline enum transfer_kind kind_to_receive(int flags)
{
	return (flags & (MSG_WAITALL | MSG_DONTWAIT | MSG_PEEK)) == MSG_WAITALL
		       ? TRANSFER_ALL
		       : TRANSFER_ONCE;
}

/* Does a thread wait for work by the call, if it receives with these flags? */
static inline enum blocking_call work_by_receive(enum blocking_call call,
						 int flags)
{
	return flags & MSG_DONTWAIT ? CALL_NONE : call;
}

static inline enum transfer_kind kind_to_send(int flags)
{
	return flags & MSG_DONTWAIT ? TRANSFER_ONCE : TRANSFER_ALL;
}

static inline enum transfer_kind kind_of_parts(bool sends, int flags)
{
	enum transfer_kind kind =
		sends ? kind_to_send(flags) : kind_to_receive(flags);

	return kind == TRANSFER_ALL ? TRANSFER_PARTS : TRANSFER_ONCE;
}

/* Written to a place in a file it is not cut short. */
static inline enum transfer_kind kind_of_write_at(off64_t at, int flags)
{
	return at == -1 && !(flags & RWF_NOWAIT) ? TRANSFER_PARTS
						 : TRANSFER_ONCE;
}

/* May a tick come, or a signal that is kept open for ticks? */
static inline bool hook_may_tick(void)
{
	return hook_is_ticked() || unlikely(tick_signals_open());
}

/*
 * Many messages, of which a tick would leave some: no call for the others has
 * the errors of the one, and the kernel leaves the tick for the next call to
 * receive. So no tick is to come where it can block in the middle: the call it
 * is told as then. To ask is a system call, where the flags do not tell.
 */
static inline bool hook_may_stop_amid(int fd, int flags)
{
	const struct transfer what = { .fd = fd };

	return hook_may_tick() && !(flags & MSG_DONTWAIT) &&
	       transfer_blocks(&what);
}

static inline enum blocking_call call_of_sendmmsg(int fd, int flags)
{
	return hook_may_stop_amid(fd, flags) ? CALL_SENDMMSG : CALL_NONE;
}

static inline enum blocking_call call_of_recvmmsg(int fd, unsigned int n,
						  int flags)
{
	bool for_all = kind_to_receive(flags) == TRANSFER_ALL;

	return (for_all || (n > 1 && !(flags & MSG_WAITFORONE))) &&
			       hook_may_stop_amid(fd, flags)
		       ? CALL_RECVMMSG
		       : CALL_NONE;
}

/* Begins the call that *what describes, if a tick may come: then true. */
static inline bool hook_transfer_begin(struct transfer what)
{
	if (likely(!hook_may_tick()))
		return false;
	what.errno_before = errno;
	/* Without ticks time is told only where a signal is put off. */
	if (!thread_self.armed)
		what.begun_ns = clock_soon_ns();
	transfer_begin(&what);
	return true;
}

/* Waits for what is left of its time; false: that is over, or the host came. */
bool hook_transfer_wait(void);

/*
 * Is the call, begun and over, to be made once more? Otherwise errno is what it
 * is to be.
 */
static inline bool hook_transfer_again(bool begun)
{
	return unlikely(begun) &&
	       unlikely(thread_self.transfer.cut == CUT_WAIT) &&
	       hook_transfer_wait();
}

/* Of TRANSFER_ALL, and returned. */
static inline long hook_move_rest_of_one(long returned)
{
	struct iovec asked = thread_self.transfer.asked;
	struct msghdr message = { .msg_iov = &asked, .msg_iovlen = 1 };

	return hook_move_rest(NULL, &message, thread_self.transfer.flags,
			      returned);
}

/* What it returned, and what a tick had it return before that. */
static inline long hook_transfer_end(long returned)
{
	uint64_t done = transfer_end();

	if (unlikely(thread_self.transfer.cut == CUT_STREAM))
		return hook_move_rest_of_one(returned);
	if (likely(!done))
		return returned;
	if (returned >= 0)
		return returned + (long)done;
	errno = thread_self.transfer.errno_before;
	return (long)done;
}

/*
 * The same of several buffers: through move, with the rest of them if a tick
 * cuts it short.
 */
ssize_t hook_write_parts(mover *move, struct transfer what,
			 const struct iovec *parts, int n);

/* The end of one that has returned got, if it was begun under ticks. */
ssize_t hook_end_write(bool begun, mover *move, const struct iovec *parts,
		       int n, ssize_t got);

/* Moves a message over a socket; returns how many bytes. */
typedef ssize_t message_mover(int fd, struct msghdr *message, int flags);

ssize_t hook_move_message(message_mover *move, struct transfer what,
			  struct msghdr *message, int flags,
			  const void *caller);

#endif
