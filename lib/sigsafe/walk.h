/*
 * A walk: the frames of one stack as they are found, leaf first. Decides which
 * frames are kept. Signal-safe.
 *
 * Left out are frames in the shim itself, and where the walk begins in the shim
 * (caller is given) all frames up to the one that returns to caller.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WALK_H
#define SIGSAFE_WALK_H

#include "sigsafe/modules.h"

enum walk_state {
	WALK_GOES_ON,
	WALK_COMPLETE, /* the outermost frame, or all that are wanted */
	WALK_CUT       /* the next frame could not be found */
};

struct walk {
	struct locator locator;
	uintptr_t awaited; /* return address to begin at; 0: met already */
	unsigned wanted;   /* frames to keep */
	unsigned depth;	   /* frames kept */
	unsigned seen;	   /* frames kept or left out */
	/* The frame added last returns from a signal handler. */
	bool behind_signal;
	uint64_t frame[MAX_DEPTH]; /* words as in base/format.h */
};

/* caller: 0, or the return address the stack begins with. */
void walk_begin(struct walk *walk, struct recording *recording,
		uintptr_t caller, unsigned wanted);

/*
 * Adds the next frame, by its return address; or by its program counter, if
 * exact or if the frame added before it returns from a signal handler.
 */
enum walk_state walk_add(struct walk *walk, uintptr_t pc, bool exact);

/* A frame that is kept whatever it is: the one a stack has at least. */
uint64_t walk_first_frame(struct recording *recording, uintptr_t pc,
			  bool exact);

/*
 * Where the shim itself lies: frames there are left out. Called once, at the
 * start; not called where the shim is linked into a program.
 */
void walk_leave_out(uintptr_t start, uintptr_t end);

#endif
