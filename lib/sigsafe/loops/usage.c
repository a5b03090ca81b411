/*
 * What the kernel counts.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/loops/usage.h"

#include <sys/resource.h>
#include <time.h>

#include "sigsafe/os/clock.h"
#include "sigsafe/os/sys.h"
#include "sigsafe/thread.h"

static uint64_t thread_cpu_ns(void)
{
	struct timespec used = { 0 };

	sys2(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
}

struct usage usage_count(void)
{
	struct rusage usage = { 0 };

	sys2(SYS_getrusage, RUSAGE_THREAD, &usage);
	return (struct usage){
		.voluntary = (uint32_t)usage.ru_nvcsw,
		.involuntary = (uint32_t)usage.ru_nivcsw,
		.minor_faults = (uint32_t)usage.ru_minflt,
		.major_faults = (uint32_t)usage.ru_majflt,
	};
}

/* getrusage(2) has the time of the last clock interrupt: hence the clock. */
struct usage usage_read(const struct thread *self)
{
	struct usage usage = usage_count();

	usage.at_ns = clock_now_ns();
	usage.cpu_ns = thread_cpu_ns();
	usage.waits = self->record->waits + self->loop->parking_sleeps;
	return usage;
}
