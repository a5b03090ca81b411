/*
 * What a tick has cut short of a transfer (sigsafe/signals/transfer.h), moved
 * by the hook.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_REST_H
#define SHIM_HOOK_REST_H

#include <sys/socket.h>

/* Moves several buffers to or from a file; returns how many bytes. */
typedef ssize_t mover(int fd, const struct iovec *parts, int n);

/*
 * The rest of message, behind the first done bytes: how many bytes it has come
 * to in all. Where an error comes, or a signal of the host's, that is what has
 * been moved so far, as natively: errno is left alone. The flags of what is
 * received are added to the message's.
 */
ssize_t hook_move_rest(mover *move, struct msghdr *message, int flags,
		       ssize_t done);

#endif
