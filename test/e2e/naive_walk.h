/*
 * What a naive walk (naive_walk.c) finds frames by.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef NAIVE_WALK_H
#define NAIVE_WALK_H

#include <ucontext.h>

#include "sigsafe/walk.h"

/* Adds the frames of what was interrupted; NULL: those of the caller. */
void naive_frames(struct walk *walk, const ucontext_t *interrupted);

#endif
