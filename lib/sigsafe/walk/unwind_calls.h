/*
 * What libunwind calls while it walks, made safe. lib/setup points libunwind's
 * own import slots (and nobody else's) at these functions. Each of them acts
 * while the calling thread is in a walk, and is the original otherwise: the
 * program may use the same copy of the library for itself.
 *
 * In a walk nothing is mapped, no signal mask changes, and a lock that is taken
 * is not waited for but a moment: it may be held by the very code that the
 * walk's signal interrupted. What can't be done safely ends the walk at once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WALK_UNWIND_CALLS_H
#define SIGSAFE_WALK_UNWIND_CALLS_H

#include "base/units.h"

struct unwind_call {
	const char *name; /* of the import */
	void *safe;	  /* what its slot is to hold */
	void **original;  /* where to keep what it held */
};

#define UNWIND_CALLS 6

extern const struct unwind_call unwind_calls[UNWIND_CALLS];

/* libc's own, which no preloaded library sees. Set before the first walk. */
extern int (*unwind_try_lock)(void *mutex);
extern int (*unwind_unlock)(void *mutex);

/* The way out of a walk that can't go on. Lives as long as the walk. */
struct unwind_escape {
	void *jump[5]; /* for __builtin_setjmp(), before libunwind's first call
			*/
	void *held;    /* the mutex that the walk holds, or NULL */
};

/* Of the walk that begins: walks take turns. */
void unwind_calls_begin(struct unwind_escape *escape);

/*
 * The library's own set-up is over. Until then it gets no pipe: it has no use
 * for one, and its descriptors would be seen by the program.
 */
void unwind_calls_ready(void);

#endif
