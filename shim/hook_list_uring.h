/*
 * The hooked functions of liburing, which makes its system calls itself: their
 * part of the one list (hook.h). They are looked up apart: a program may load
 * that library later, or never.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_LIST_URING_H
#define SHIM_HOOK_LIST_URING_H

#include <liburing.h>

/*
 * X(result, name, parameters, version)
 *
 * By liburing's version alone, so that nobody else's function of such a name,
 * nor a look whether there is one, comes to us.
 *
 * Those through which its other waits go, too: io_uring_wait_cqe() through the
 * first, io_uring_wait_cqe_timeout() through the second.
 */
#define HOOKS_URING(X)                                                         \
	X(int, __io_uring_get_cqe,                                             \
	  (struct io_uring * ring, struct io_uring_cqe * *cqe,                 \
	   unsigned submit, unsigned least, sigset_t *mask),                   \
	  "LIBURING_2.0")                                                      \
	X(int, io_uring_wait_cqes,                                             \
	  (struct io_uring * ring, struct io_uring_cqe * *cqe, unsigned least, \
	   struct __kernel_timespec *timeout, sigset_t *mask),                 \
	  "LIBURING_2.0")                                                      \
	X(int, io_uring_submit_and_wait,                                       \
	  (struct io_uring * ring, unsigned least), "LIBURING_2.0")            \
	X(int, io_uring_submit_and_wait_timeout,                               \
	  (struct io_uring * ring, struct io_uring_cqe * *cqe, unsigned least, \
	   struct __kernel_timespec *timeout, sigset_t *mask),                 \
	  "LIBURING_2.2")

/* Those that are system calls: X(name, version) */
#define HOOKS_URING_ENTER(X)                                                   \
	X(io_uring_enter, "LIBURING_2.3")                                      \
	X(io_uring_enter2, "LIBURING_2.3")

#endif
