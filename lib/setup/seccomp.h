/*
 * A seccomp filter that was there before the program started.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_SECCOMP_H
#define SETUP_SECCOMP_H

#include <stdbool.h>

enum seccomp_allows {
	SECCOMP_ALLOWS_ALL,
	SECCOMP_ALLOWS_A_LINE, /* say() */
	SECCOMP_ALLOWS_NOTHING,
	SECCOMP_ALLOWS_NO_CHILD /* not known: there is none to try them */
};

/*
 * Which of the shim's system calls may be made? Where there is a filter a child
 * of the process's tries, and does not live through it if not. (The filters of
 * containers only let calls fail: they allow all.) To be asked in the
 * constructor, before any call that not every program makes. Not signal-safe.
 */
enum seccomp_allows seccomp_allows_us(void);

/*
 * May memory be copied by process_vm_readv(2) (sigsafe/os/memory.h)? Found out
 * in the same way, as some filters kill for that call alone. Not signal-safe.
 */
bool seccomp_allows_copies(void);

#endif
