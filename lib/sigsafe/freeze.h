/*
 * The freeze: at the end the sums must stand still to be added up. Each lock
 * operation enters and leaves; once frozen none may enter, and when none is in
 * flight the conservation law is exact.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_FREEZE_H
#define SIGSAFE_FREEZE_H

#include "base/atomic.h"
#include "base/format.h"

/* May this operation be recorded? Then freeze_leave() must follow. */
static inline bool freeze_enter(struct recording *rec)
{
	/*
	 * Sequentially consistent, both here and in freeze(): either we see
	 * frozen, or freeze() sees us in flight.
	 */
	add_seq_cst(&rec->in_flight, 1);
	if (likely(!load_seq_cst(&rec->frozen)))
		return true;
	sub_release(&rec->in_flight, 1);
	return false;
}

static inline void freeze_leave(struct recording *rec)
{
	/* Release pairs with the acquire in freeze(): our sums are in. */
	sub_release(&rec->in_flight, 1);
}

/*
 * Freezes for good, and waits for operations in flight: at most a few
 * milliseconds, since the caller may be a signal handler that interrupted one
 * (the texts then say that one is in flight). Signal-safe.
 */
void freeze(struct recording *rec);

#endif
