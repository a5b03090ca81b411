/*
 * What a naive walk (naive_walk.c) finds frames by, and what is round it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef NAIVE_WALK_H
#define NAIVE_WALK_H

#include <ucontext.h>

#include "sigsafe/walk/walk.h"

/* Adds the frames of what was interrupted; NULL: those of the caller. */
void naive_frames(struct walk *walk, const ucontext_t *interrupted);

/*
 * Around a walk; false: there is none. Unless defined elsewhere, a thread makes
 * no walk within a walk of its own.
 */
bool naive_enter(void);
void naive_leave(void);

#endif
