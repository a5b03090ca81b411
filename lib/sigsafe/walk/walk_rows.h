/*
 * Walks a stack by rows (sigsafe/walk/unwind_row.h), which covers what
 * compilers write. Needs no lock, and may run in any number of threads, and in
 * a handler that interrupts it. Never reads what can't be read.
 *
 * What it needs of the kernel is in sigsafe/walk/walk.h. test/bench/walk.c,
 * with the processor shared with others (the ratios are what counts):
 *
 *   ns a walk of 30 frames   one thread   two at once
 *   rows, warm                      281           282
 *   rows, cold                   12,600        12,500
 *   frame pointers                  323           325
 *   libunwind, tamed             21,400        18,600, a third refused
 *   backtrace(3)                  3,200         3,200
 *
 * Cold, twice as much as where unwind tables were read without any proof. To
 * copy each of them through the kernel would take four times as much again
 * (54,000): so only what another thread can unload is copied.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WALK_WALK_ROWS_H
#define SIGSAFE_WALK_WALK_ROWS_H

#include "sigsafe/os/machine.h"
#include "sigsafe/walk/walk.h"

/*
 * Adds the frames from these registers on. Returns how the walk ended; or
 * WALK_GOES_ON: the frame added last needs another way, and the registers have
 * become its own (the program counter one less, if it is a return address).
 */
enum walk_state walk_rows(struct walk *walk, struct registers *registers);

#endif
