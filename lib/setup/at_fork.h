/*
 * pthread_atfork(3) under the name that is glibc's alone: the shim must load,
 * and do nothing, with another libc too.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_AT_FORK_H
#define SETUP_AT_FORK_H

extern int __register_atfork(void (*prepare)(void), void (*parent)(void),
			     void (*child)(void), void *library)
	__attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

/* Each may be NULL. 0 or an error number. Not signal-safe: allocates. */
static inline int at_fork(void (*prepare)(void), void (*parent)(void),
			  void (*child)(void))
{
	return __register_atfork(prepare, parent, child, __dso_handle);
}

#endif
