/*
 * Places on the thread's own stack from where hooks have worked: shown to be
 * on it, and not within an array that lies there and is another's stack, as a
 * coroutine's or a signal's may be. Owns what is known of places.
 *
 * The range of a thread's own stack tells no such stack from the thread's own
 * frames, and what is free below a stack pointer may be anything of the host's.
 * So a place is shown once: its frames are followed, each above the one before,
 * up to where the thread itself began. It is the return address of the call,
 * the stack pointer there or at a fixed distance below, and the return
 * addresses of the two callers above, which are compared each time.
 *
 * What is below must be there, too: the program may have made unreadable what
 * it has left of its stack, to learn when it comes there. Asked once as well;
 * and in the lowest part, where Java does so as it runs, no place is known.
 *
 * Believed in error would be a coroutine that makes the same call with the same
 * two callers at the very address where its thread, with no such array in
 * between, has made it. And a thread that jumps, or changes its context, may go
 * down as well, to frames that it has left below a call: coroutines are made
 * so, by one function that calls itself. So no place of such a thread is known.
 * (Where the program's own assembler does that it is not seen.) Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_STACKS_OWN_PLACE_H
#define SIGSAFE_STACKS_OWN_PLACE_H

#include "sigsafe/walk/frame_shape.h"

/* What we do takes no more of a stack, in place or wherever it is done. */
#define WORK_BYTES (8u << 10)

/* So many are known at once, those of all threads together. */
#define OWN_PLACES 8192u

struct own_place {
	/* The host's call; sp may be further down, but always as far. */
	struct call_site call;
	/* Where its frames are followed from; NULL: from the call. */
	const struct registers *from;
};

/* Has it been shown? Reads the stack above sp: faults are open. */
bool own_place_is_known(const struct own_place *place);

/*
 * Shows it, or finds that it can't be, once for each place. Takes 2 KB of the
 * stack: so it is called on another one.
 */
void own_place_show(const struct own_place *place);

#endif
