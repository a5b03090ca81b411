/*
 * System calls that the host makes by syscall(2), as their functions of libc
 * are hooked: a tick does not show in them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_RAW_H
#define SHIM_HOOK_RAW_H

#include "base/units.h"

/* Makes the call, if a tick could break it: *result. a: six arguments. */
bool raw_call(long number, const long *a, const void *caller, long *result);

#endif
