/*
 * The hooked functions of liburing, which makes its system calls itself: their
 * part of the one list (hook.h). A program may load that library later, or
 * never, so they are looked up by the first call of each.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_LIST_URING_H
#define SHIM_HOOK_LIST_URING_H

#include <liburing.h>

/*
 * X(result, name, parameters)
 *
 * Those through which its other waits go, too: io_uring_wait_cqe() through the
 * first, io_uring_wait_cqe_timeout() through the second.
 */
#define HOOKS_URING(X)                                                         \
	X(int, __io_uring_get_cqe,                                             \
	  (struct io_uring * ring, struct io_uring_cqe * *cqe,                 \
	   unsigned submit, unsigned least, sigset_t *mask))                   \
	X(int, io_uring_wait_cqes,                                             \
	  (struct io_uring * ring, struct io_uring_cqe * *cqe, unsigned least, \
	   struct __kernel_timespec *timeout, sigset_t *mask))                 \
	X(int, io_uring_submit_and_wait,                                       \
	  (struct io_uring * ring, unsigned least))                            \
	X(int, io_uring_submit_and_wait_timeout,                               \
	  (struct io_uring * ring, struct io_uring_cqe * *cqe, unsigned least, \
	   struct __kernel_timespec *timeout, sigset_t *mask))

#endif
