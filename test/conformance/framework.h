/*
 * What the programs of frameworks.bats share: their loop has a timer of 5 ms,
 * which calls tick(). One tick in the middle takes 100 ms, or as long as it
 * says on standard output in ns; before and after it the loop is idle.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CONFORMANCE_FRAMEWORK_H
#define CONFORMANCE_FRAMEWORK_H

#include <sys/cdefs.h>

#include "../e2e/victim.h"

#ifndef TICK_MS
#define TICK_MS 5
#endif
#define TICKS 20

/* The function to be found in the stacks of the stall, and in no other. */
__BEGIN_DECLS
void plant_stall(void);
__END_DECLS

void plant_stall(void)
{
	uint64_t begun_ns = now_ns();

	spin(100 * NS_PER_MS);
	printf("planted %ju\n", now_ns() - begun_ns);
	fflush(stdout);
}

/* Is that all? Then the loop is to end. */
static inline bool tick(void)
{
	static int ticks;

	if (++ticks == TICKS / 2)
		plant_stall();
	return ticks == TICKS;
}

#endif
