/*
 * A recording for unit tests, in anonymous memory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef RECORDING_FIXTURE_H
#define RECORDING_FIXTURE_H

#include "base/format.h"
#include "sigsafe/thread.h"

/*
 * Makes an empty recording of `bytes`, laid out as the shim lays out its file,
 * and makes it the live one.
 */
struct recording *fixture_recording(size_t bytes);

/* How often the reason was counted in the live recording. */
uint64_t fixture_lost(enum lost_reason reason);

/* The time of all samples of a kind in the live recording. */
uint64_t fixture_sampled_ns(unsigned kind);

/* A thread that is a loop of rec, by its first record. */
struct thread fixture_thread(struct recording *rec);

#endif
