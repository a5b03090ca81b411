/*
 * The names of the machine that programs are watched on.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_TARGET_H
#define BASE_TARGET_H

#include <elf.h>

/* TARGET_ELF: in an ELF header. TARGET_MULTIARCH: Debian's folders of it. */
#if defined(__x86_64__)
#define TARGET_ELF	 EM_X86_64
#define TARGET_MULTIARCH "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define TARGET_ELF	 EM_AARCH64
#define TARGET_MULTIARCH "aarch64-linux-gnu"
#endif

#endif
