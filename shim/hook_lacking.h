/*
 * System calls that newer machines lack, having better ones. There they have
 * numbers that no call has, each another.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_LACKING_H
#define SHIM_HOOK_LACKING_H

#include <sys/syscall.h>

#ifndef SYS_epoll_wait
#define SYS_epoll_wait (-1001)
#endif
#ifndef SYS_poll
#define SYS_poll (-1002)
#endif
#ifndef SYS_select
#define SYS_select (-1003)
#endif

#endif
