/*
 * The versions of libc's functions that hooks stand for. libc's first one is
 * another on each machine: on the older ones some functions have been replaced
 * since, and stay for the programs that were built before.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_VERSIONS_H
#define SHIM_HOOK_VERSIONS_H

#if defined(__x86_64__)
#define VERSION_FIRST		 "GLIBC_2.2.5"
#define VERSION_FIRST_QUICK_EXIT "GLIBC_2.10"
/* Condition variables had other memory before. */
#define HAS_OLD_COND 1
#define VERSION_COND "GLIBC_2.3.2"
/* A file without #! was a script. */
#define HAS_OLD_SPAWN 1
#define VERSION_SPAWN "GLIBC_2.15"
#elif defined(__aarch64__)
#define VERSION_FIRST		 "GLIBC_2.17"
#define VERSION_FIRST_QUICK_EXIT VERSION_FIRST
#define HAS_OLD_COND		 0
#define VERSION_COND		 VERSION_FIRST
#define HAS_OLD_SPAWN		 0
#define VERSION_SPAWN		 VERSION_FIRST
#endif

#define VERSION_QUICK_EXIT "GLIBC_2.24"
#define VERSION_START_MAIN "GLIBC_2.34"

/*
 * hook is the function of that version: what programs are bound to that are
 * built now, or those built before.
 */
#define HOOK_OF_NOW(hook, function, version)                                   \
	__asm__(".symver " #hook ", " #function "@@" version ", remove")
#define HOOK_OF_BEFORE(hook, function, version)                                \
	__asm__(".symver " #hook ", " #function "@" version ", remove")

#endif
