/*
 * Walks a stack by its frame pointers. Needs no lock and may run in any number
 * of threads. Right only as far as the code on the stack keeps frame pointers;
 * anything else ends it. Never reads what can't be read. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WALK_WALK_FP_H
#define SIGSAFE_WALK_WALK_FP_H

#include "sigsafe/os/machine.h"
#include "sigsafe/walk/walk.h"

/* Adds the frames from these registers on. Returns how the walk ended. */
enum walk_state walk_fp(struct walk *walk, const struct registers *from);

#endif
