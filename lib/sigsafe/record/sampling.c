/*
 * Sampling without bias. Owns the thread's random numbers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/record/sampling.h"

#include "sigsafe/os/clock.h"
#include "sigsafe/thread.h"

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift". */
static uint64_t random_bits(void)
{
	uint64_t state = thread_self.random;

	if (!state)
		state = clock_now_ns() ^ (uintptr_t)&thread_self;
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	thread_self.random = state;
	return state * UINT64_C(0x2545f4914f6cdd1d);
}

/* A number from 0 to below, each as likely. The high bits are the best. */
static uint64_t random_below(uint64_t below)
{
	return (uint64_t)((unsigned __int128)random_bits() * below >> 64);
}

/* value / by, rounded up or down by chance so that the mean is exact. */
static uint64_t divide_fairly(uint64_t value, uint64_t by)
{
	return value / by + (random_below(by) < value % by);
}

struct weight sampling_weigh(uint64_t ns, uint64_t rate_ns)
{
	if (ns >= rate_ns)
		return (struct weight){ ns, 1 };
	if (random_below(rate_ns) >= ns)
		return (struct weight){ 0, 0 };
	return (struct weight){ rate_ns, divide_fairly(rate_ns, ns) };
}
