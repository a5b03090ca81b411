/*
 * writev, pwritev2, sendmsg, recvmsg: several buffers at a time. Where a tick
 * has cut one short (lib/sigsafe/signals/transfer.h) the rest is moved by
 * hook_rest.c.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include <sys/syscall.h>

#include "hook_block.h"
#include "hook_settings.h"
#include "hook_transfer.h"
#include "hook_unwound.h"
#include "hook_work.h"
#include "sigsafe/os/memory.h"

/* It has returned got, if begun under ticks. */
static inline ssize_t end_parts(bool begun, mover *move, struct msghdr *message,
				int flags, ssize_t got)
{
	if (likely(!begun))
		return got;
	transfer_end();
	if (likely(!thread_self.transfer.cut))
		return got;
	return hook_move_rest(move, message, flags, got);
}

ssize_t hook_end_write(bool begun, mover *move, const struct iovec *parts,
		       int n, ssize_t got)
{
	struct msghdr message = {
		.msg_iov = (struct iovec *)(uintptr_t)parts,
		.msg_iovlen = (size_t)n,
	};

	CLOSES_WAIT_UNWOUND;
	return end_parts(begun, move, &message, 0, got);
}

ssize_t hook_write_parts(mover *move, struct transfer what,
			 const struct iovec *parts, int n)
{
	bool begun;
	ssize_t got;

	CLOSES_WAIT_UNWOUND;
	begun = hook_transfer_begin(what);
	do
		got = move(what.fd, parts, n);
	while (hook_transfer_again(begun));
	return hook_end_write(begun, move, parts, n, got);
}

/*
 * Does it take control data? Who has sent what comes before a tick would never
 * be told: the kernel has dropped it, the data are taken. The host's pointer
 * may be a bad one.
 */
static bool takes_control(const struct msghdr *message)
{
	struct msghdr asked;

	return memory_copy(&asked, message, sizeof(asked)) &&
	       asked.msg_control && asked.msg_controllen;
}

/* Does it wait for more than there is, and can't be moved on? */
static bool is_all_in_one(const struct transfer *what,
			  const struct msghdr *message, int flags)
{
	return !what->sends &&
	       (call_of_receive(CALL_RECVMSG, what->fd, flags) ||
		(what->kind == TRANSFER_PARTS && takes_control(message)));
}

/* In which the thread may be parked. */
static cold ssize_t receive_work(int fd, struct msghdr *message, int flags,
				 const struct call_site *from)
{
	struct block block =
		hook_work_begin(CALL_RECVMSG, from, BLOCK_BY_OTHERS);
	ssize_t got = real.recvmsg(fd, message, flags);

	hook_work_end(true, &block);
	return got;
}

static cold ssize_t receive_undisturbed(message_mover *move, int fd,
					struct msghdr *message, int flags,
					const void *caller)
{
	struct block block = hook_block_begin(CALL_RECVMSG, caller);
	ssize_t got = move(fd, message, flags);

	watch_block_end(&block);
	return got;
}

ssize_t hook_move_message(message_mover *move, struct transfer what,
			  struct msghdr *message, int flags, const void *caller)
{
	bool begun;
	ssize_t got;

	CLOSES_WAIT_UNWOUND;
	if (hook_may_tick() && unlikely(is_all_in_one(&what, message, flags)))
		return receive_undisturbed(move, what.fd, message, flags,
					   caller);
	begun = hook_transfer_begin(what);
	do
		got = move(what.fd, message, flags);
	while (hook_transfer_again(begun));
	return end_parts(begun, NULL, message, flags, got);
}

HOOK ssize_t writev(int fd, const struct iovec *parts, int n)
{
	const struct transfer what = {
		.sends = true,
		.kind = TRANSFER_PARTS,
		.fd = fd,
		.number = SYS_writev,
		.function = (uintptr_t)real.writev,
	};

	return hook_write_parts(real.writev, what, parts, n);
}

/* The flags speak of files; a pipe or a socket is written as without. */
static ssize_t write_on(int fd, const struct iovec *parts, int n)
{
	return real.pwritev2(fd, parts, n, -1, 0);
}

HOOK ssize_t pwritev2(int fd, const struct iovec *parts, int n, off_t at,
		      int flags)
{
	const struct transfer what = {
		.sends = true,
		.kind = kind_of_write_at(at, flags),
		.fd = fd,
		.number = SYS_pwritev2,
		.function = (uintptr_t)real.pwritev2,
	};
	bool begun;
	ssize_t got;

	CLOSES_WAIT_UNWOUND;
	begun = hook_transfer_begin(what);
	do
		got = real.pwritev2(fd, parts, n, at, flags);
	while (hook_transfer_again(begun));
	return hook_end_write(begun, write_on, parts, n, got);
}

HOOK ssize_t pwritev64v2(int fd, const struct iovec *parts, int n, off64_t at,
			 int flags)
{
	return pwritev2(fd, parts, n, at, flags);
}

static ssize_t send_message(int fd, struct msghdr *message, int flags)
{
	return real.sendmsg(fd, message, flags);
}

HOOK ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	const struct transfer what = {
		.sends = true,
		.kind = kind_of_parts(true, flags),
		.fd = fd,
		.number = SYS_sendmsg,
		.function = (uintptr_t)real.sendmsg,
	};

	return hook_move_message(send_message, what,
				 (struct msghdr *)(uintptr_t)message, flags,
				 CALLER);
}

HOOK ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	const struct transfer what = {
		.kind = kind_of_parts(false, flags),
		.fd = fd,
		.number = SYS_recvmsg,
		.function = (uintptr_t)real.recvmsg,
	};
	struct call_site from = CALL_SITE_HERE;

	if (!(flags & MSG_DONTWAIT) && hook_may_work_at(&from, fd))
		return receive_work(fd, message, flags, &from);
	return hook_move_message(real.recvmsg, what, message, flags, CALLER);
}
