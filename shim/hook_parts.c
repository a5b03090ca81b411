/*
 * writev, sendmsg, recvmsg: several buffers at a time. Where a tick has cut one
 * short (lib/sigsafe/transfer.h) the hook moves the rest, a few buffers a call.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include <sys/syscall.h>

#include "hook_transfer.h"

#define REST_PARTS 16

static ssize_t write_message(int fd, struct msghdr *message, int flags)
{
	(void)flags;
	return real.writev(fd, message->msg_iov, (int)message->msg_iovlen);
}

static ssize_t send_message(int fd, struct msghdr *message, int flags)
{
	return real.sendmsg(fd, message, flags);
}

static ssize_t receive_message(int fd, struct msghdr *message, int flags)
{
	return real.recvmsg(fd, message, flags);
}

/* Of message, the buffers behind the first done bytes; how many bytes. */
static size_t take_rest(const struct msghdr *message, size_t done,
			struct msghdr *rest)
{
	size_t bytes = 0;

	rest->msg_iovlen = 0;
	for (size_t i = 0;
	     i < message->msg_iovlen && rest->msg_iovlen < REST_PARTS; i++) {
		struct iovec part = message->msg_iov[i];
		size_t skipped = min_u64(done, part.iov_len);

		done -= skipped;
		if (skipped == part.iov_len)
			continue;
		part.iov_base = (char *)part.iov_base + skipped;
		part.iov_len -= skipped;
		bytes += part.iov_len;
		rest->msg_iov[rest->msg_iovlen++] = part;
	}
	return bytes;
}

/*
 * Until all is moved, an error comes or a signal of the host's: then what has
 * been moved so far is what the call came to.
 */
static cold ssize_t move_rest(mover *move, const struct msghdr *message,
			      int flags, size_t done)
{
	struct transfer call = thread_self.transfer;
	uint64_t handlers = thread_self.host_handlers;
	struct iovec parts[REST_PARTS];
	struct msghdr rest = { .msg_iov = parts };
	size_t bytes;
	ssize_t got;

	call.is_cut = false;
	while ((bytes = take_rest(message, done, &rest)) &&
	       thread_self.host_handlers == handlers) {
		transfer_begin(&call);
		got = move(call.fd, &rest, flags);
		transfer_end();
		if (got > 0)
			done += (size_t)got;
		if (got <= 0 ||
		    ((size_t)got < bytes && !thread_self.transfer.is_cut))
			break;
	}
	errno = call.errno_before;
	return (ssize_t)done;
}

ssize_t hook_move_parts(mover *move, struct transfer what,
			struct msghdr *message, int flags)
{
	bool begun = hook_transfer_begin(what);
	ssize_t got = move(what.fd, message, flags);

	if (likely(!begun))
		return got;
	transfer_end();
	if (likely(!thread_self.transfer.is_cut))
		return got;
	return move_rest(move, message, flags, (size_t)got);
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
	struct msghdr message = {
		.msg_iov = (struct iovec *)(uintptr_t)parts,
		.msg_iovlen = (size_t)n,
	};

	return hook_move_parts(write_message, what, &message, 0);
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

	return hook_move_parts(send_message, what,
			       (struct msghdr *)(uintptr_t)message, flags);
}

HOOK ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	const struct transfer what = {
		.kind = kind_of_parts(false, flags),
		.fd = fd,
		.number = SYS_recvmsg,
		.function = (uintptr_t)real.recvmsg,
	};

	return hook_move_parts(receive_message, what, message, flags);
}
