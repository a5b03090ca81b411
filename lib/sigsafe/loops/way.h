/*
 * The way to a loop's wait: the calls that led to it. Tells what is called
 * beside the wait from what is called back.
 *
 * Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOOPS_WAY_H
#define SIGSAFE_LOOPS_WAY_H

#include <stdbool.h>
#include <stdint.h>

#include "sigsafe/walk/frame_shape.h"

#define WAY_DEPTH                                                              \
	64 /* calls of a way that can be compared, fewer than that             \
	    */

/* To each of its seats a thread finds the way only so many times. */
#define WAYS 4

struct wait_way {
	uint32_t found;		   /* so many times */
	uint32_t depth;		   /* 0: it is not known */
	uint64_t frame[WAY_DEPTH]; /* the wait's caller first */
};

/* The wait that is called there has another way from now on. */
void way_find(struct wait_way *way, const struct call_site *wait);

/*
 * Is the call that is being made there one beside the wait? So it is if the
 * function in which the two ways part makes both by calls to fixed functions
 * alone, all the way down: a callback is called by what is in a register or in
 * an object. Tells how many calls of the wait's way there are from that
 * function on; 0: it is not beside.
 */
uint32_t way_beside(const struct wait_way *way, const struct call_site *call);

#endif
