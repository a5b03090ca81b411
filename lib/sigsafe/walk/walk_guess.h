/*
 * The caller of code that has no unwind rules: most of it is assemblers' work
 * that calls nothing, or what a compiler puts round an object's constructors.
 * Where a walk begins, the next of these is taken for it:
 *
 *   what a call has left    in the register for it, or on the stack, up to
 *                           GUESS_WORDS above the stack pointer: it is behind a
 *                           call, in code that has rules, and these lead on to
 *                           GUESS_FRAMES more that are the same, or to the
 *                           outermost one
 *   a frame pointer's word  if it is behind a call in code that has no rules
 *                           either: such code is often made at run time, and
 *                           keeps frame pointers (libunwind follows them)
 *
 * What is seen to call that very code goes before what may have called
 * anything. Of code further up that has called on, nothing else is taken: up to
 * GUESS_WORDS_OF_CALLER above the stack pointer, which the rules of what it has
 * called tell. Not found, it is left to libunwind, which follows the frame
 * pointer; that may skip functions, and is counted as well.
 *
 * The guess can be wrong all the same, where what is left of an earlier call
 * looks like a frame as well. So it is counted: LOST_WALK_GUESSED.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WALK_WALK_GUESS_H
#define SIGSAFE_WALK_WALK_GUESS_H

#include "sigsafe/walk/walk_cursor.h"

/* Assembler that calls nothing needs few: registers that it saves. */
#define GUESS_WORDS  64u
#define GUESS_FRAMES 16u

/* What calls on may have room for variables as well. */
#define GUESS_WORDS_OF_CALLER 256u

/* Words tried at most, and frame pointers. */
#define GUESS_TRIALS 16u

/*
 * Moves the walk from the frame it has come to, if that is ROW_BARE, to its
 * caller. False: none was found, and all is as before. Takes 1 KB of the stack.
 */
bool walk_guess_caller(struct walk *walk, struct cursor *at);

/* How much is left of what one walk looks at for the next one. */
struct skip_search {
	unsigned words, calls;
};

#define SKIP_SEARCH ((struct skip_search){ .words = 256, .calls = 16 })

/*
 * Code in no object is taken to keep a frame pointer, which then points to the
 * end of its own variables, from sp to fp. Does what a call to it may have left
 * lie there, so that fp may be its caller's, and functions are skipped? Also if
 * search has come to its end.
 */
bool walk_guess_may_skip(struct skip_search *search, struct memory *memory,
			 uintptr_t sp, uintptr_t fp);

#endif
