/*
 * read, write, send, receive, accept, connect: a tick may come in them, and is
 * made unseen (lib/sigsafe/signals/transfer.h). Those with several buffers are
 * in hook_parts.c.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook_transfer.h"

#include <sys/syscall.h>

#include "hook.h"
#include "hook_block.h"
#include "hook_left.h"
#include "hook_settings.h"
#include "hook_unwound.h"
#include "hook_work.h"

#define X(result, name, parameters, arguments, the_number, the_kind,           \
	  does_send, work, call)                                               \
	HOOK result name parameters                                            \
	{                                                                      \
		CLOSES_WAIT_UNWOUND;                                           \
		struct call_site site = CALL_SITE_HERE;                        \
		bool works =                                                   \
			(work) != CALL_NONE && hook_may_work_at(&site, fd);    \
		struct block block =                                           \
			works ? hook_work_begin(work, &site, BLOCK_BY_OTHERS)  \
			      : hook_block_begin(call, CALLER);                \
		bool begun = hook_transfer_begin((struct transfer){            \
			.sends = does_send,                                    \
			.kind = the_kind,                                      \
			.fd = fd,                                              \
			.number = the_number,                                  \
			.function = (uintptr_t)real.name,                      \
		});                                                            \
		result got;                                                    \
                                                                               \
		do                                                             \
			got = real.name arguments;                             \
		while (hook_transfer_again(begun));                            \
		if (begun)                                                     \
			got = (result)hook_transfer_end(got);                  \
		hook_work_end(works, &block);                                  \
		return got;                                                    \
	}
HOOKS_TRANSFER(X)
HOOKS_MESSAGES(X)
#undef X

/* Every signal is blocked: another one that is put off may break this, too. */
cold bool hook_transfer_wait(void)
{
	struct transfer call = thread_self.transfer;
	struct pollfd poll = { .fd = call.fd,
			       .events = call.sends ? POLLOUT : POLLIN };
	uint64_t for_ns = transfer_timeout_ns(&call);
	uint32_t handlers = thread_self.host_handlers;
	struct timespec left;
	int got;

	CLOSES_WAIT_UNWOUND;
	transfer_end();
	do
		got = real.ppoll(&poll, 1,
				 for_ns ? left_of(call.begun_ns, for_ns, &left)
					: NULL,
				 NULL);
	while (got < 0 && errno == EINTR &&
	       thread_self.host_handlers == handlers);
	if (got <= 0) {
		if (!got)
			errno = transfer_error_of_timeout(&call);
		thread_self.transfer.cut = CUT_NOT;
		return false;
	}
	errno = call.errno_before;
	call.cut = CUT_NOT;
	transfer_begin(&call);
	return true;
}

/* What does not fit is for libc to abort. */
HOOK ssize_t __read_chk(int fd, void *to, size_t n, size_t room)
{
	return n > room ? real.__read_chk(fd, to, n, room) : read(fd, to, n);
}

HOOK ssize_t __recv_chk(int fd, void *to, size_t n, size_t room, int flags)
{
	return n > room ? real.__recv_chk(fd, to, n, room, flags)
			: recv(fd, to, n, flags);
}

HOOK ssize_t __recvfrom_chk(int fd, void *to, size_t n, size_t room, int flags,
			    __SOCKADDR_ARG from, socklen_t *length)
{
	return n > room ? real.__recvfrom_chk(fd, to, n, room, flags, from,
					      length)
			: recvfrom(fd, to, n, flags, from, length);
}

HOOK_ALSO(read, __read);
HOOK_ALSO(write, __write);
HOOK_ALSO(send, __send);
HOOK_ALSO(connect, __connect);
