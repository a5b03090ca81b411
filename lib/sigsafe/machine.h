/*
 * The one door to the processor: raw system calls, a 16-byte compare and swap,
 * a switch of stacks, and what an interrupted context says. Each processor has
 * one file with the same functions. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_MACHINE_H
#define SIGSAFE_MACHINE_H

#if defined(__x86_64__)
#include "sigsafe/machine_x86_64.h"
#else
#error "stallshim knows x86-64 only"
#endif

#endif
