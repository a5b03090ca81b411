/*
 * Walks a stack by rows (sigsafe/unwind_row.h), which covers what compilers
 * write. Needs no lock, and may run in any number of threads, and in a handler
 * that interrupts it. Never reads what can't be read.
 *
 * Warm, on a thread's own stack, it makes no system call. On other stacks it
 * asks the kernel about each page. test/bench/walk.c, with the processor shared
 * with others (the ratios are what counts):
 *
 *   ns a walk of 30 frames   one thread   two at once
 *   rows, warm                      280           280
 *   rows, cold                    7,500         7,500
 *   frame pointers                  300           300
 *   libunwind, tamed             11,500        12,000, a third refused
 *   backtrace(3)                  3,100         3,100
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WALK_ROWS_H
#define SIGSAFE_WALK_ROWS_H

#include "sigsafe/machine.h"
#include "sigsafe/walk.h"

/*
 * Adds the frames from these registers on. Returns how the walk ended; or
 * WALK_GOES_ON: the frame added last needs another way, and the registers have
 * become its own (the program counter one less, if it is a return address).
 */
enum walk_state walk_rows(struct walk *walk, struct registers *registers);

#endif
