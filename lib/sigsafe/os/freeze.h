/*
 * The freeze: at the end the sums must stand still to be added up. Each lock
 * operation, and each tick and end of a stall, enters and leaves; once frozen
 * none may enter, and when none is in flight the conservation laws are exact.
 * Before an exec, which may fail, they are only held up for a moment: what is
 * left out then would be missing for ever after.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_OS_FREEZE_H
#define SIGSAFE_OS_FREEZE_H

#include "base/atomic.h"
#include "base/format.h"
#include "sigsafe/thread.h"

static inline void freeze_leave(struct recording *rec)
{
	/* Release pairs with the acquire in freeze(): our sums are in. */
	sub_release(&rec->in_flight, 1);
	thread_self.in_flight--;
}

/* 1: held. Not in the file: whoever can write to that could hold up the host.
 */
extern uint32_t freeze_held;

/* freeze_enter() where something stands in its way. */
bool freeze_enter_late(struct recording *rec);

/* May this operation be recorded? Then freeze_leave() must follow. */
static inline bool freeze_enter(struct recording *rec)
{
	/*
	 * Sequentially consistent, both here and in freeze(): either we see
	 * frozen, or freeze() sees us in flight. So with freeze_hold().
	 */
	thread_self.in_flight++;
	add_seq_cst(&rec->in_flight, 1);
	return likely(!load_seq_cst(&rec->frozen) &&
		      !load_seq_cst(&freeze_held)) ||
	       freeze_enter_late(rec);
}

/*
 * Freezes for good, and waits for other threads' operations in flight, for 50
 * ms at most. The caller may be a signal handler that interrupted one itself:
 * that is not waited for (the texts then say that one is in flight).
 * Signal-safe.
 */
void freeze(struct recording *rec);

/*
 * Lets operations wait, for 50 ms at most, until freeze_release(); those in
 * flight are waited for as above. By one thread at a time, its signals blocked.
 * Signal-safe.
 */
void freeze_hold(const struct recording *rec);
void freeze_release(void);

#endif
