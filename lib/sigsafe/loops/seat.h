/*
 * A seat: where a thread waits for events, and for which. Decides whether a
 * wait is a turn of the thread's loop, or nested in one of its callbacks, as
 * the poll(2) of a single descriptor is by which libraries wait for an answer.
 *
 * A wait is nested if it is made deeper in the stack than by the function that
 * calls the function that makes the loop's wait (a callback's frames lie where
 * that one's has been), and does not serve the loop, as one does that waits
 *
 *   for the loop's own epoll descriptor, wherever it is called
 *   for a set which that descriptor is in
 *   where the loop itself polls: in the loop's own call for one at least of its
 *   descriptors (GLib's main loops are nested so), or for no fewer descriptors
 *   than the loop, its first among them
 *
 * Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOOPS_SEAT_H
#define SIGSAFE_LOOPS_SEAT_H

#include <poll.h>
#include <sys/select.h>

#include "sigsafe/walk/frame_shape.h"

#define SEAT_POLLS (-1)

struct seat {
	struct call_site call;
	int32_t epoll;	 /* the descriptor; SEAT_POLLS: it polls a set */
	uint32_t size;	 /* of that set; of select's: when it was measured */
	int32_t first;	 /* of that set, when it was measured; -1: none */
	bool for_answer; /* was it small, and of what an answer may come by? */
	uint64_t set;	 /* then, too: bit n is set for n, n + 64 and so on */
};

/* A seat to be taken, and what is waited for in it: nothing proven readable. */
struct sitting {
	struct seat seat;
	const struct pollfd *fds; /* NULL: it selects, or epolls */
	const fd_set *readable, *writable, *exceptional; /* or NULL */
	uint32_t limit; /* of select's descriptors */
	bool looks;	/* and does not wait; as far as is known */
};

static inline struct sitting sitting_epoll(struct call_site call, int fd,
					   bool looks)
{
	return (struct sitting){
		.seat = { .call = call, .epoll = fd },
		.looks = looks,
	};
}

static inline struct sitting sitting_poll(struct call_site call,
					  const struct pollfd *fds, nfds_t n)
{
	return (struct sitting){
		.seat = { call, SEAT_POLLS, (uint32_t)n },
		.fds = fds,
	};
}

/* n, in, out, err: as of select(2). */
static inline struct sitting sitting_select(struct call_site call, int n,
					    const fd_set *in, const fd_set *out,
					    const fd_set *err)
{
	return (struct sitting){
		.seat = { .call = call, .epoll = SEAT_POLLS },
		.readable = in,
		.writable = out,
		.exceptional = err,
		.limit = n > 0 ? (uint32_t)n : 0,
	};
}

/*
 * Neither the loop's own call nor its descriptor: it may be nested. Many share
 * a function that polls: that is the loop's own where the stack is as deep.
 */
static inline bool seat_differs(const struct seat *loop,
				const struct seat *other)
{
	return loop->call.pc != other->call.pc || loop->epoll != other->epoll ||
	       (loop->epoll == SEAT_POLLS && loop->call.sp != other->call.sp);
}

/* Is the descriptor still open that is waited at in this seat, an epoll's? */
bool seat_is_open(const struct seat *epoll);

/*
 * Finds which descriptors are in a set (of a long one of poll's: of the first),
 * the first of them (of select's: of those to be read), and counts those of
 * select's sets, which nothing tells. An answer may come by a set of one
 * descriptor, a pipe or a socket that does not listen, or by one of none, as
 * who sleeps waits for. Makes a few system calls, to be sure that
 * the sets can be read.
 */
void sitting_measure(struct sitting *sitting);

enum sitting_kind {
	SITTING_OF_LOOP, /* it is the loop's seat from now on */
	SITTING_SERVES,	 /* a turn, made deeper than the loop makes its own */
	SITTING_NESTED
};

/*
 * What is this one, measured, which differs from the loop's seat? May ask the
 * kernel whether the loop's descriptor is still open. known: the thread's frame
 * shapes, the loop's wait among them.
 */
enum sitting_kind sitting_kind_of(const struct sitting *sitting,
				  const struct seat *loop,
				  struct frame_shape *known);

#endif
