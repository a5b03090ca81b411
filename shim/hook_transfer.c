/*
 * read, write, send, receive, accept, connect: a tick may come in them, and is
 * made unseen (lib/sigsafe/transfer.h). Those with several buffers are in
 * hook_parts.c.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook_transfer.h"

#include <sys/syscall.h>

#include "hook.h"
#include "hook_block.h"
#include "hook_settings.h"
#include "hook_unwound.h"

#define X(result, name, parameters, arguments, the_number, the_kind,           \
	  does_send, call)                                                     \
	HOOK result name parameters                                            \
	{                                                                      \
		CLOSES_WAIT_UNWOUND;                                           \
		struct block block = hook_block_begin(call, CALLER);           \
		bool begun = hook_transfer_begin((struct transfer){            \
			.sends = does_send,                                    \
			.kind = the_kind,                                      \
			.fd = fd,                                              \
			.number = the_number,                                  \
			.function = (uintptr_t)real.name,                      \
		});                                                            \
		result got = real.name arguments;                              \
                                                                               \
		if (begun)                                                     \
			got = (result)hook_transfer_end(got);                  \
		watch_block_end(&block);                                       \
		return got;                                                    \
	}
HOOKS_TRANSFER(X)
HOOKS_MESSAGES(X)
#undef X

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
