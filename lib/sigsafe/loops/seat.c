/*
 * Seats: which waits are nested.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/loops/seat.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "sigsafe/os/memory.h"
#include "sigsafe/os/sys.h"

#define WORD_BITS 64u

/* No sets are larger, whatever the call says. */
#define MAX_SELECTED (1u << 16)

/* So many of poll(2)'s are looked at. */
#define MAX_POLLED 256u

/* The arrays of the call that is made: its caller keeps them. */
static void begin(struct memory *memory, const struct sitting *sitting)
{
	memory_begin(memory, sitting);
	memory_expect_lasting(memory, true);
}

/* The word of a set; 0 where there is none. */
static uint64_t word_of(struct memory *memory, const fd_set *set, uint32_t fd)
{
	uintptr_t place = (uintptr_t)set + fd / WORD_BITS * sizeof(uint64_t);
	uint64_t word;

	return set && memory_read(memory, place, &word) ? word : 0;
}

static uint32_t count_bits(uint64_t word)
{
	uint32_t n = 0;

	for (; word; n++)
		word &= word - 1;
	return n;
}

static bool read_polled(struct memory *memory, const struct pollfd *fd,
			struct pollfd *polled)
{
	uint64_t word;

	if (!memory_read(memory, (uintptr_t)fd, &word))
		return false;
	memcpy(polled, &word, sizeof(*polled));
	return true;
}

/* poll(2) passes over those that are negative. */
static void measure_polled(struct sitting *sitting)
{
	uint32_t n = (uint32_t)min_u64(sitting->seat.size, MAX_POLLED);
	struct memory memory;
	struct pollfd polled;

	begin(&memory, sitting);
	for (uint32_t i = 0; i < n; i++) {
		if (!read_polled(&memory, &sitting->fds[i], &polled))
			break;
		if (polled.fd < 0)
			continue;
		if (sitting->seat.first < 0)
			sitting->seat.first = polled.fd;
		sitting->seat.set |= UINT64_C(1)
				     << (uint32_t)polled.fd % WORD_BITS;
	}
}

static int32_t lowest_bit(uint64_t word)
{
	return __builtin_ctzll(word);
}

/* Of a word of select's sets, below limit. */
static uint64_t below(uint64_t word, uint32_t fd, uint32_t limit)
{
	return limit - fd < WORD_BITS
		       ? word & ((UINT64_C(1) << (limit - fd)) - 1)
		       : word;
}

static void measure_selected(struct sitting *sitting)
{
	uint32_t limit = (uint32_t)min_u64(sitting->limit, MAX_SELECTED);
	struct memory memory;
	uint64_t word, readable;

	if (limit)
		sitting->seat.size = 0;
	begin(&memory, sitting);
	for (uint32_t fd = 0; fd < limit; fd += WORD_BITS) {
		readable = word_of(&memory, sitting->readable, fd);
		word = readable | word_of(&memory, sitting->writable, fd) |
		       word_of(&memory, sitting->exceptional, fd);
		word = below(word, fd, limit);
		sitting->seat.size += count_bits(word);
		sitting->seat.set |= word;
		readable = below(readable, fd, limit);
		if (readable && sitting->seat.first < 0)
			sitting->seat.first =
				(int32_t)fd + lowest_bit(readable);
	}
}

/* What others send comes by it, and not who they are. */
static cold bool may_bring_answer(int fd)
{
	struct stat file;
	int listens = 0;
	socklen_t bytes = sizeof(listens);

	if (sys2(SYS_fstat, fd, &file))
		return false;
	if (!S_ISSOCK(file.st_mode))
		return S_ISFIFO(file.st_mode);
	sys6(SYS_getsockopt, fd, SOL_SOCKET, SO_ACCEPTCONN, (long)&listens,
	     (long)&bytes, 0);
	return !listens;
}

static bool is_for_answer(const struct sitting *sitting)
{
	const struct seat *seat = &sitting->seat;

	if (seat->epoll != SEAT_POLLS)
		return false;
	if (!sitting->fds && !sitting->limit)
		return true;
	return seat->size <= 1 &&
	       (seat->first < 0 || may_bring_answer(seat->first));
}

void sitting_measure(struct sitting *sitting)
{
	sitting->seat.first = -1;
	sitting->seat.set = 0;
	if (sitting->fds)
		measure_polled(sitting);
	else
		measure_selected(sitting);
	sitting->seat.for_answer = is_for_answer(sitting);
}

static bool is_among(const struct sitting *sitting, int fd)
{
	uint32_t number = (uint32_t)fd;
	struct memory memory;

	begin(&memory, sitting);
	if (!sitting->fds)
		return number < sitting->limit &&
		       word_of(&memory, sitting->readable, number) >>
				       number % WORD_BITS &
			       1;
	for (uint32_t i = 0; i < sitting->seat.size; i++) {
		struct pollfd polled;

		if (!read_polled(&memory, &sitting->fds[i], &polled))
			return false;
		if (polled.fd == fd)
			return true;
	}
	return false;
}

bool seat_is_open(const struct seat *epoll)
{
	return sys2(SYS_fcntl, epoll->epoll, F_GETFD) >= 0;
}

/*
 * By a function that the loop's caller has called. Stacks grow downwards: that
 * one's frame ends where the frame of the call that waits for the loop did, or
 * below. How large a frame is says nothing: those of reactors are.
 */
static bool is_deeper(const struct call_site *call,
		      const struct call_site *loop, struct frame_shape *known)
{
	/* By value: what is found next may take its place. */
	struct frame_shape outer = *frame_shape_of(known, loop->pc);
	const struct frame_shape *inner = frame_shape_of(known, call->pc);
	uintptr_t outer_end = frame_end(&outer, loop);
	uintptr_t inner_end = frame_end(inner, call);

	if (!outer_end)
		return call->sp < loop->sp;
	if (!inner_end)
		return call->sp < outer_end;
	if (outer.function == inner->function && inner_end == outer_end)
		return false;
	return inner_end <= outer_end;
}

static enum sitting_kind beside_epoll(const struct sitting *sitting,
				      const struct seat *loop)
{
	int fd = loop->epoll;

	if (sitting->seat.epoll == fd ||
	    (sitting->seat.epoll == SEAT_POLLS && is_among(sitting, fd)))
		return SITTING_SERVES;
	/* Where it is closed that loop is over. */
	return seat_is_open(loop) ? SITTING_NESTED : SITTING_OF_LOOP;
}

static bool serves_set(const struct sitting *sitting, const struct seat *loop)
{
	if (sitting->seat.epoll != SEAT_POLLS)
		return false;
	if (sitting->seat.call.pc == loop->call.pc &&
	    (!loop->set || loop->set & sitting->seat.set))
		return true;
	return sitting->seat.size >= loop->size &&
	       (loop->first < 0 || is_among(sitting, loop->first));
}

enum sitting_kind sitting_kind_of(const struct sitting *sitting,
				  const struct seat *loop,
				  struct frame_shape *known)
{
	if (!is_deeper(&sitting->seat.call, &loop->call, known))
		return SITTING_OF_LOOP;
	if (loop->epoll != SEAT_POLLS)
		return beside_epoll(sitting, loop);
	return serves_set(sitting, loop) ? SITTING_SERVES : SITTING_NESTED;
}
