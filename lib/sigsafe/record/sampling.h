/*
 * Sampling without bias: one stack for so much waited time (STALLSHIM_RATE).
 *
 * An event of ns nanoseconds is taken with probability ns / rate, and then
 * stands for rate nanoseconds and rate / ns events; one of rate or more is
 * always taken, as it is. So the expected sums are the true ones: it is the way
 * of Go's mutex profile and heap profile. Totals do not depend on it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_RECORD_SAMPLING_H
#define SIGSAFE_RECORD_SAMPLING_H

#include "base/units.h"

struct weight {
	uint64_t ns; /* 0: not taken */
	uint64_t events;
};

/* What an event of ns stands for. rate_ns 0: itself, always. Signal-safe. */
struct weight sampling_weigh(uint64_t ns, uint64_t rate_ns);

#endif
