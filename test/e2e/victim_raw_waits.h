/*
 * Waits for events by syscall(2), with a timeout of ms (-1: none), and nothing
 * to wait for: 0, or -1 with errno.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef E2E_VICTIM_RAW_WAITS_H
#define E2E_VICTIM_RAW_WAITS_H

#include <errno.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "victim.h"

static int raw_epoll(void)
{
	static __thread int fd;

	if (!fd)
		fd = epoll_create1(0);
	return fd;
}

/* NULL: none. */
static struct timespec *raw_time(int ms, struct timespec *t)
{
	t->tv_sec = ms / 1000;
	t->tv_nsec = ms % 1000 * (long)NS_PER_MS;
	return ms < 0 ? NULL : t;
}

static int raw_epoll_pwait(int ms)
{
	const uint64_t nothing = 0;
	struct epoll_event event;

	return (int)syscall(SYS_epoll_pwait, raw_epoll(), &event, 1, ms,
			    &nothing, sizeof(nothing));
}

static int raw_epoll_pwait2(int ms)
{
	struct epoll_event event;
	struct timespec t;

	return (int)syscall(SYS_epoll_pwait2, raw_epoll(), &event, 1,
			    raw_time(ms, &t), NULL, 0);
}

/* What is left of the time must have been told. */
static int is_told(int got, int ms, uint64_t left_ns, uint64_t passed_ns)
{
	uint64_t ns = (uint64_t)ms * NS_PER_MS;

	if (ms < 0 ||
	    left_ns <= (ns > passed_ns ? ns - passed_ns : 0) + 20 * NS_PER_MS)
		return got;
	errno = EDOM;
	return -1;
}

static int raw_ppoll(int ms)
{
	uint64_t begun_ns = now_ns();
	struct timespec t;
	int got = (int)syscall(SYS_ppoll, NULL, 0, raw_time(ms, &t), NULL, 0);

	return is_told(got, ms, (uint64_t)(t.tv_sec * 1000000000 + t.tv_nsec),
		       now_ns() - begun_ns);
}

/* The kernel can tell nothing there. */
static int raw_ppoll_const(int ms)
{
	static struct timespec *page;

	if (!page)
		page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
	raw_time(ms, page);
	mprotect(page, 4096, PROT_READ);
	return (int)syscall(SYS_ppoll, NULL, 0, ms < 0 ? NULL : page, NULL, 0);
}

static int raw_pselect6(int ms)
{
	const uint64_t nothing = 0;
	const struct {
		const void *mask;
		size_t size;
	} packed = { &nothing, sizeof(nothing) };
	struct timespec t;

	return (int)syscall(SYS_pselect6, 0, NULL, NULL, NULL, raw_time(ms, &t),
			    &packed);
}

/* Containers often forbid it, and kernels can. */
static inline bool raw_has_io_uring(void)
{
	struct io_uring_params p = { .flags = 0 };
	int fd = (int)syscall(SYS_io_uring_setup, 1, &p);

	return fd >= 0 && !close(fd);
}

/* A ring of its own for each thread, without what nobody looks at. */
struct raw_ring {
	int fd;
	unsigned *submitted;		 /* the tail of its queue */
	unsigned *completed, *collected; /* the tail, and the head */
};

static struct raw_ring *raw_ring(void)
{
	static __thread struct raw_ring ring;
	struct io_uring_params p = { .flags = 0 };
	char *queues;
	struct io_uring_sqe *entries;

	if (ring.fd)
		return &ring;
	ring.fd = (int)syscall(SYS_io_uring_setup, 1, &p);
	if (ring.fd < 0)
		exit(4);
	queues = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_POPULATE, ring.fd, IORING_OFF_SQ_RING);
	entries = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_POPULATE, ring.fd, IORING_OFF_SQES);
	if (queues == MAP_FAILED || entries == MAP_FAILED)
		exit(4);
	entries->opcode = IORING_OP_NOP;
	ring.submitted = (void *)(queues + p.sq_off.tail);
	ring.completed = (void *)(queues + p.cq_off.tail);
	ring.collected = (void *)(queues + p.cq_off.head);
	return &ring;
}

/* A time that is up is an error there. */
static int raw_enter(unsigned submit, unsigned least, int ms)
{
	struct timespec t;
	struct io_uring_getevents_arg argument = {
		.ts = (uintptr_t)raw_time(ms, &t),
	};
	int got =
		(int)syscall(SYS_io_uring_enter, raw_ring()->fd, submit, least,
			     IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG,
			     &argument, sizeof(argument));

	return got < 0 && errno == ETIME ? 0 : got;
}

static int raw_io_uring(int ms)
{
	if (ms < 0)
		return (int)syscall(SYS_io_uring_enter, raw_ring()->fd, 0, 1,
				    IORING_ENTER_GETEVENTS, NULL, 0);
	return raw_enter(0, 1, ms);
}

/*
 * Submits what completes at once, and waits for two: that it was broken then
 * shows in nothing but its time.
 */
static int raw_io_uring_submit(int ms)
{
	struct raw_ring *ring = raw_ring();
	int got;

	*ring->submitted += 1;
	got = raw_enter(1, 2, ms);
	*ring->collected = *ring->completed;
	if (got != 1) {
		errno = EDOM;
		return -1;
	}
	errno = EINTR;
	return ms < 0 ? -1 : 0;
}

/* Newer machines lack these. */
#ifdef SYS_epoll_wait
static int raw_epoll_wait(int ms)
{
	struct epoll_event event;

	return (int)syscall(SYS_epoll_wait, raw_epoll(), &event, 1, ms);
}

static int raw_poll(int ms)
{
	return (int)syscall(SYS_poll, NULL, 0, ms);
}

static int raw_select(int ms)
{
	struct timeval t = { ms / 1000, ms % 1000 * 1000 };
	uint64_t begun_ns = now_ns();
	int got = (int)syscall(SYS_select, 0, NULL, NULL, NULL,
			       ms < 0 ? NULL : &t);

	return is_told(got, ms,
		       (uint64_t)(t.tv_sec * 1000000 + t.tv_usec) * 1000,
		       now_ns() - begun_ns);
}

#define RAW_WAITS_OLD(X)                                                       \
	X(raw_epoll_wait)                                                      \
	X(raw_poll)                                                            \
	X(raw_select)
#else
#define RAW_WAITS_OLD(X)
#endif

#define RAW_WAITS(X)                                                           \
	RAW_WAITS_OLD(X)                                                       \
	X(raw_epoll_pwait)                                                     \
	X(raw_epoll_pwait2)                                                    \
	X(raw_ppoll)                                                           \
	X(raw_ppoll_const)                                                     \
	X(raw_pselect6)                                                        \
	X(raw_io_uring)                                                        \
	X(raw_io_uring_submit)

#endif
