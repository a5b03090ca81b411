/*
 * A library whose constructor takes 60 ms.
 *
 * SPDX-License-Identifier: MIT
 */
#include "victim.h"

static __attribute__((constructor, noinline)) void constructor_spin(void)
{
	spin(60 * NS_PER_MS);
	/* Not the last call: it keeps its frame. */
	__asm__ volatile("");
}
