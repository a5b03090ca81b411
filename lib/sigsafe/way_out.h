/*
 * A way out of a fault. A walk reads memory that was there a moment ago; if
 * another thread takes it away in between, the SIGSEGV or SIGBUS must not be
 * the host's end: the handler goes on where the way out was opened, and what
 * the walk has found until then is kept.
 *
 *	struct way_out way;
 *
 *	if (way_out_open(&way)) {
 *		way_out_close(&way);
 *		return ...; // there was a fault
 *	}
 *	walk
 *	way_out_close(&way);
 *
 * Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WAY_OUT_H
#define SIGSAFE_WAY_OUT_H

#include <ucontext.h>

#include "sigsafe/thread.h"

/* It lies on the stack of who opened it, who runs on the same one until then.
 */
struct way_out {
	void *point[5]; /* of __builtin_setjmp() */
	struct way_out *outer;
};

/* In a function that is not inlined, as its frame is where to go on. */
#define way_out_open(way)                                                      \
	((way)->outer = thread_self.way_out, thread_self.way_out = (way),      \
	 __builtin_setjmp((way)->point))

static inline void way_out_close(const struct way_out *way)
{
	thread_self.way_out = way->outer;
}

/*
 * Handler only: goes there, if it is our walk that has hit the fault. Returns
 * if it is not.
 */
void way_out_take(const ucontext_t *uc);

#endif
