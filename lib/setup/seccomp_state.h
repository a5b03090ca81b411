/*
 * Is this process confined by seccomp(2)? Asked before anything is called that
 * a filter is likely to kill for. Who becomes confined later is seen by the
 * hooks (shim/hook_seccomp.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_SECCOMP_STATE_H
#define SETUP_SECCOMP_STATE_H

#include <stdbool.h>

/*
 * False: it is not. Read from /proc, as prctl(PR_GET_SECCOMP) is a call that a
 * filter may kill for. Not signal-safe: opens a descriptor, and closes it.
 */
bool seccomp_may_be_in_force(void);

#endif
