/*
 * The requests of ioctl(2) that a signal breaks whatever its handler: with
 * EINTR, as the kernel's drivers of terminals (tty_io.c), consoles
 * (vt_ioctl.c), USB devices (devio.c), KVM and the supervisors of seccomp give
 * it; with fewer frames moved, as that of sound (pcm_lib.c); or with a command
 * that has been sent and is sent once more (sg.c). Others wait on, or are made
 * again as if they had not been.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_IOCTL_H
#define SHIM_HOOK_IOCTL_H

#include "base/calls.h"
#include "base/units.h"

/* Of a request of ioctl(2) that is one of them; or CALL_NONE. */
enum blocking_call hook_call_of_ioctl(unsigned long request);

#endif
