/*
 * The ways to waits at epoll descriptors that this process has seen, each with
 * the descriptor, and by which of them threads have come that had parked beside
 * the wait before: there threads take turns, and what comes back from where
 * they park is in a run of their loop. For threads that have not yet waited for
 * events themselves (lib/sigsafe/loops/cold.h).
 *
 * Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOOPS_TURN_WAYS_H
#define SIGSAFE_LOOPS_TURN_WAYS_H

#include "sigsafe/loops/way.h"

struct turn_way;

/*
 * A thread waits at the descriptor by the way, whose depth is known. NULL:
 * there is no room (counted).
 */
struct turn_way *turn_ways_note(const struct wait_way *way, int32_t epoll);

/*
 * One beside whose wait the call is that is being made there; or NULL. *after:
 * way_beside(), which is noted as below.
 */
struct turn_way *turn_ways_beside(const struct call_site *call,
				  uint32_t *after);

/* Has a thread waited at the descriptor by the way, and not closed it? */
bool turn_ways_have(const struct wait_way *way, int32_t epoll);

/* A thread parks beside the wait, where its way parts. */
void turn_way_note_place(const struct turn_way *turn, uint32_t after);

/* Does it still count? */
bool turn_way_is_open(const struct turn_way *turn);

const struct wait_way *turn_way_calls(const struct turn_way *turn);

/* The descriptor that is waited at by the way. */
int32_t turn_way_epoll(const struct turn_way *turn);

/* Do both lead to the wait by the same calls? */
bool turn_way_is(const struct turn_way *turn, const struct wait_way *way);

/* Has that descriptor been waited at by the same calls, and not been closed? */
bool turn_way_is_at(const struct turn_way *turn, int32_t epoll);

/*
 * A thread has come to the wait again and again from where it parks: from now
 * on those that come from there are known to be in a run. after: as above. Who
 * parks further out than others do does it between other jobs, and is not.
 */
void turn_way_show(const struct turn_way *turn);
bool turn_way_is_shown(const struct turn_way *turn, uint32_t after);

/*
 * A thread closes a descriptor that it waits at by the way itself: it was no
 * pool's but a job's own, as is any other by the same calls. None of them
 * counts from now on.
 */
void turn_way_close(const struct turn_way *turn);

/* A forked child's recording has other numbers for the same calls. */
void turn_ways_reset(void);

#endif
