/*
 * The places to park that this process has learnt: a set of hashes, each with
 * the thread that taught it. Entries are never taken out, and a forked child
 * has the same code at the same places.
 *
 * Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOOPS_PARK_PLACES_H
#define SIGSAFE_LOOPS_PARK_PLACES_H

#include <stdint.h>

#define TEACHER_NOBODY	0
#define TEACHER_SEVERAL (-1)

/* Enters a hash, other than 0; where there is no room that is counted. */
void park_places_enter(uint64_t hash, int32_t teacher);

/*
 * The thread that taught it, or one of the above; TEACHER_SEVERAL also where it
 * is not known as there was no room: so that no idle thread is called stalled.
 */
int32_t park_places_teacher(uint64_t hash);

#endif
