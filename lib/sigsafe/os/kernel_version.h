/*
 * The version of the kernel that runs, for what it does in another way since
 * then and does not tell.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_OS_KERNEL_VERSION_H
#define SIGSAFE_OS_KERNEL_VERSION_H

/* As major << 8 | minor; 0: not known. Signal-safe. */
unsigned int kernel_version(void);

#endif
