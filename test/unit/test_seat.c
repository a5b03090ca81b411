/*
 * Seats: which waits are nested in a loop's run.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sigsafe/loops/seat.h"

static struct frame_shape known[FRAME_SHAPES];

/*
 * Calls from so deep in the stack. What makes them is no function: its frame's
 * end is not known, so the depth decides.
 */
static struct call_site call_at(uintptr_t depth)
{
	return (struct call_site){ 0x1000 + depth, 0x7fff0000 - depth, 0 };
}

static enum sitting_kind kind_beside(const struct seat *loop,
				     struct sitting sitting)
{
	sitting_measure(&sitting);
	cr_assert(seat_differs(loop, &sitting.seat));
	return sitting_kind_of(&sitting, loop, known);
}

static struct sitting polls(uintptr_t depth, struct pollfd *fds, nfds_t n)
{
	return sitting_poll(call_at(depth), fds, n);
}

Test(seat, another_descriptor_is_nested_where_it_is_deeper)
{
	int fd = epoll_create1(0);
	struct seat loop = sitting_epoll(call_at(100), fd, false).seat;

	cr_assert_eq(
		kind_beside(&loop, sitting_epoll(call_at(200), fd + 1, false)),
		SITTING_NESTED);
	cr_assert_eq(
		kind_beside(&loop, sitting_epoll(call_at(50), fd + 1, false)),
		SITTING_OF_LOOP);
}

Test(seat, the_loops_own_descriptor_serves_it)
{
	int fd = epoll_create1(0);
	struct seat loop = sitting_epoll(call_at(100), fd, false).seat;
	struct pollfd fds[] = { { 0, POLLIN, 0 }, { fd, POLLIN, 0 } };
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fd, &set);
	cr_assert_eq(kind_beside(&loop, sitting_epoll(call_at(200), fd, false)),
		     SITTING_SERVES);
	cr_assert_eq(kind_beside(&loop, polls(200, fds, 2)), SITTING_SERVES);
	cr_assert_eq(kind_beside(&loop, polls(200, fds, 1)), SITTING_NESTED);
	cr_assert_eq(kind_beside(&loop, sitting_select(call_at(200), fd + 1,
						       &set, NULL, NULL)),
		     SITTING_SERVES);
	/* Behind n the kernel does not look. */
	cr_assert_eq(kind_beside(&loop, sitting_select(call_at(200), fd, &set,
						       NULL, NULL)),
		     SITTING_NESTED);
}

Test(seat, a_closed_loop_is_over)
{
	int fd = epoll_create1(0);
	struct seat loop = sitting_epoll(call_at(100), fd, false).seat;

	close(fd);
	cr_assert_eq(
		kind_beside(&loop, sitting_epoll(call_at(200), fd + 1, false)),
		SITTING_OF_LOOP);
}

Test(seat, a_smaller_set_is_nested_in_one_that_polls)
{
	struct pollfd fds[4] = { { 0, POLLIN, 0 } };
	struct sitting sits = polls(100, fds, 3);
	struct seat loop;

	sitting_measure(&sits);
	loop = sits.seat;
	cr_assert_eq(kind_beside(&loop, polls(200, fds, 2)), SITTING_NESTED);
	cr_assert_eq(kind_beside(&loop, polls(200, fds, 3)), SITTING_SERVES);
	cr_assert_eq(kind_beside(&loop, polls(200, fds, 4)), SITTING_SERVES);
	cr_assert_eq(kind_beside(&loop, sitting_epoll(call_at(200), 3, false)),
		     SITTING_NESTED);
}

Test(seat, a_set_without_the_loops_first_is_nested)
{
	struct pollfd own[2] = { { -1, 0, 0 }, { 7, POLLIN, 0 } };
	struct pollfd other[2] = { { 5, POLLIN, 0 }, { 6, POLLIN, 0 } };
	struct sitting sits = polls(100, own, 2);
	fd_set set;

	sitting_measure(&sits);
	cr_assert_eq(sits.seat.first, 7);
	cr_assert_eq(kind_beside(&sits.seat, polls(200, other, 2)),
		     SITTING_NESTED);
	other[1].fd = 7;
	cr_assert_eq(kind_beside(&sits.seat, polls(200, other, 2)),
		     SITTING_SERVES);
	FD_ZERO(&set);
	FD_SET(70, &set);
	sits = sitting_select(call_at(100), 71, &set, NULL, NULL);
	sitting_measure(&sits);
	cr_assert_eq(sits.seat.first, 70);
	cr_assert_eq(kind_beside(&sits.seat, polls(200, other, 2)),
		     SITTING_NESTED);
	other[0].fd = 70;
	cr_assert_eq(kind_beside(&sits.seat, polls(200, other, 2)),
		     SITTING_SERVES);
}

Test(seat, polled_by_the_loops_own_call_one_of_its_descriptors_serves)
{
	struct pollfd own[3] = { { 5, POLLIN, 0 }, { 6, POLLIN, 0 } };
	struct pollfd other[1] = { { 6, POLLIN, 0 } };
	struct sitting sits = polls(100, own, 2);
	struct sitting deeper = polls(100, other, 1);

	sitting_measure(&sits);
	cr_assert_eq(sits.seat.set, 3 << 5);
	cr_assert_not(seat_differs(&sits.seat, &deeper.seat));
	deeper.seat.call.sp -= 1000;
	cr_assert_eq(kind_beside(&sits.seat, deeper), SITTING_SERVES);
	other[0].fd = 7;
	cr_assert_eq(kind_beside(&sits.seat, deeper), SITTING_NESTED);
	/* Where it sleeps only, so does the other. */
	sits = polls(100, NULL, 0);
	sitting_measure(&sits);
	cr_assert_eq(kind_beside(&sits.seat, deeper), SITTING_SERVES);
}

Test(seat, an_epoll_descriptor_is_the_same_at_any_depth)
{
	struct seat loop = sitting_epoll(call_at(100), 3, false).seat;
	struct seat deeper = loop;

	deeper.call.sp -= 1000;
	cr_assert_not(seat_differs(&loop, &deeper));
}

Test(seat, selects_sets_are_counted_together)
{
	fd_set in, out;
	struct sitting sitting;

	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_SET(1, &in);
	FD_SET(70, &in);
	FD_SET(70, &out);
	FD_SET(200, &out);
	sitting = sitting_select(call_at(0), 201, &in, &out, NULL);
	sitting_measure(&sitting);
	cr_assert_eq(sitting.seat.size, 3);
	cr_assert_eq(sitting.seat.set, 1 << 1 | 1 << 70 % 64 | 1 << 200 % 64);
	sitting = sitting_select(call_at(0), 70, &in, &out, NULL);
	sitting_measure(&sitting);
	cr_assert_eq(sitting.seat.size, 1);
}

Test(seat, what_cannot_be_read_is_passed_over)
{
	struct seat loop = sitting_epoll(call_at(100), 0, false).seat;
	struct pollfd *nowhere = (struct pollfd *)(uintptr_t)0xdead0000;
	struct sitting sitting = sitting_select(call_at(200), 1000,
						(fd_set *)nowhere, NULL, NULL);

	sitting_measure(&sitting);
	cr_assert_eq(sitting.seat.size, 0);
	cr_assert_eq(kind_beside(&loop, polls(200, nowhere, 1000)),
		     SITTING_NESTED);
}

static bool is_for_answer(struct sitting sitting)
{
	sitting_measure(&sitting);
	return sitting.seat.for_answer;
}

static bool poll_is_for_answer(int fd)
{
	struct pollfd fds = { fd, POLLIN, 0 };

	return is_for_answer(polls(100, &fds, 1));
}

Test(seat, an_answer_comes_by_a_pipe_or_a_socket_alone)
{
	int ends[2], pair[2], fd = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr any = { .sa_family = AF_UNIX };
	struct pollfd fds[2] = { 0 };

	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	cr_assert(poll_is_for_answer(ends[0]));
	cr_assert(poll_is_for_answer(pair[0]));
	cr_assert(is_for_answer(polls(100, NULL, 0)));
	fds[0].fd = pair[0], fds[1].fd = pair[1];
	cr_assert_not(is_for_answer(polls(100, fds, 2)));
	cr_assert_not(poll_is_for_answer(epoll_create1(0)));
	cr_assert_not(poll_is_for_answer(eventfd(0, 0)));
	cr_assert_eq(bind(fd, &any, sizeof(sa_family_t)), 0);
	cr_assert(poll_is_for_answer(fd));
	cr_assert_eq(listen(fd, 1), 0);
	cr_assert_not(poll_is_for_answer(fd));
	close(fd);
	cr_assert_not(poll_is_for_answer(fd));
}

/* Frames by their shape. */

static struct call_site outer;

static __attribute__((noinline)) struct call_site where_called(void)
{
	return CALL_SITE_HERE;
}

/* A callback's frame begins where the frame that waits has begun. */
static __attribute__((noinline)) struct call_site waits(void)
{
	struct call_site call = where_called();

	__asm__ volatile("" ::: "memory");
	return call;
}

static __attribute__((noinline)) struct call_site calls_back(void)
{
	volatile char room[300];
	struct call_site call;

	room[0] = 0;
	call = where_called();
	__asm__ volatile("" : : "r"(room) : "memory");
	return call;
}

Test(seat, a_frame_ends_where_its_caller_has_called)
{
	struct call_site call = waits();
	struct call_site back = calls_back();
	const struct frame_shape *shape = frame_shape_of(known, call.pc);
	uintptr_t end = frame_end(shape, &call);

	cr_assert_neq(end, 0);
	cr_assert_eq(shape->function, (uintptr_t)waits);
	shape = frame_shape_of(known, back.pc);
	cr_assert_eq(shape->function, (uintptr_t)calls_back);
	cr_assert_eq(frame_end(shape, &back), end);
}

Test(seat, beside_the_frame_that_waits_is_deeper_in_it_is_not)
{
	int fd = epoll_create1(0);
	struct seat loop;
	struct sitting sitting;

	outer = waits();
	loop = sitting_epoll(outer, fd, false).seat;
	cr_assert_eq(
		kind_beside(&loop, sitting_epoll(calls_back(), fd + 1, false)),
		SITTING_NESTED);
	/* Another call in the same frame. */
	sitting = sitting_epoll(outer, fd + 1, false);
	cr_assert_eq(kind_beside(&loop, sitting), SITTING_OF_LOOP);
}

/* A call by a function further down. */
static __attribute__((noinline)) struct call_site handles(void)
{
	struct call_site call = waits();

	__asm__ volatile("");
	return call;
}

Test(seat, a_large_frame_is_no_deeper_than_where_it_was_called)
{
	int fd = epoll_create1(0);
	struct pollfd one = { fd + 1, POLLIN, 0 };
	struct call_site reactor = calls_back(), job = handles();
	struct seat first = sitting_poll(job, &one, 1).seat;
	struct seat loop = sitting_epoll(reactor, fd, false).seat;

	cr_assert_lt(reactor.sp, job.sp);
	cr_assert_eq(kind_beside(&first, sitting_epoll(reactor, fd, false)),
		     SITTING_OF_LOOP);
	cr_assert_eq(kind_beside(&loop, sitting_poll(job, &one, 1)),
		     SITTING_NESTED);
}

Test(seat, no_shape_is_known_of_what_is_no_code)
{
	struct call_site call = { 0x1000, 0x7fff0000, 0x7fff1000 };

	cr_assert_eq(frame_end(frame_shape_of(known, call.pc), &call), 0);
}
