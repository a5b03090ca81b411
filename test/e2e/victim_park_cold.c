/*
 * A pool that takes turns at one epoll descriptor, some of whose threads have
 * not yet waited for events themselves; and pools that only look like it. Who
 * does what, and when, is ordered.
 *
 * usage: victim_park_cold WHAT
 *
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "victim.h"

#define STALL_NS (60 * NS_PER_MS)
#define THREADS	 3

enum order {
	NONE,
	WAKE, /* and find nothing to do */
	WAIT,
	HOLD, /* wait until leave_seat() */
	POLL,
	AWAIT,
	SPIN,
	SPIN_AND_WAIT,
	SPIN_AND_POLL_OWN,
	TURN_OWN,
	JOIN_OTHERS,
	END
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Each has one of its own: nobody is woken without an order. */
static struct {
	pthread_cond_t ordered;
	enum order order;
	bool parks;
} pool[THREADS]; /* guarded by lock */

static int epoll_fd, event_fd, others_fd;

static void wait_for_events(int fd, int timeout_ms)
{
	struct epoll_event event;

	epoll_wait(fd, &event, 1, timeout_ms);
	KEEP_FRAME();
}

/* As libraries wait for an answer. */
static __attribute__((noinline)) void callback_polls(void)
{
	for (int i = 0; i < 3; i++)
		poll(NULL, 0, STALL_NS / NS_PER_MS / 3);
	KEEP_FRAME();
}

static __attribute__((noinline)) void callback_awaits(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	struct timespec until;
	uint64_t ns;

	clock_gettime(CLOCK_REALTIME, &until);
	ns = (uint64_t)until.tv_nsec + STALL_NS;
	until.tv_sec += (time_t)(ns / NS_PER_S);
	until.tv_nsec = (long)(ns % NS_PER_S);
	pthread_mutex_lock(&mutex);
	pthread_cond_timedwait(&never, &mutex, &until);
	pthread_mutex_unlock(&mutex);
}

static __attribute__((noinline)) void callback_spins(void)
{
	spin(STALL_NS);
	KEEP_FRAME();
}

/* A job with a loop of its own, for a moment. */
static void poll_own(void)
{
	int own = epoll_create1(0);

	for (int i = 0; i < 3; i++)
		wait_for_events(own, 1);
	close(own);
}

/* A loop of its own, for good. */
static void turn_own(void)
{
	int own = epoll_create1(0);

	for (int i = 0; i < 12; i++) {
		wait_for_events(own, 1);
		if (i == 8)
			callback_spins();
	}
}

static void hold_seat(int fd)
{
	eventfd_t value;

	wait_for_events(fd, -1);
	eventfd_read(event_fd, &value);
}

static __attribute__((noinline)) enum order take_order(unsigned self)
{
	enum order order;

	pthread_mutex_lock(&lock);
	pool[self].parks = true;
	while (!pool[self].order)
		pthread_cond_wait(&pool[self].ordered, &lock);
	pool[self].parks = false;
	order = pool[self].order;
	pool[self].order = NONE;
	pthread_mutex_unlock(&lock);
	return order;
}

/* Threads that take turns at another descriptor, all by the same call. */
static void join_others(unsigned self)
{
	static const int timeout_ms[END] = { [WAIT] = 1, [HOLD] = -1 };
	enum order order;
	eventfd_t value;

	while ((order = take_order(self)) != END) {
		wait_for_events(others_fd, timeout_ms[order]);
		if (order == HOLD)
			eventfd_read(event_fd, &value);
	}
}

/* By a pointer: what is called by name beside the wait may be a place to
 * park.*/
static void call_back(enum order order)
{
	static void (*const callbacks[END + 1])(void) = {
		[POLL] = callback_polls,
		[AWAIT] = callback_awaits,
		[SPIN] = callback_spins,
		[SPIN_AND_WAIT] = callback_spins,
		[SPIN_AND_POLL_OWN] = callback_spins,
	};

	if (callbacks[order])
		callbacks[order]();
	KEEP_FRAME();
}

static int own_fd[THREADS];

static void look(unsigned self)
{
	struct epoll_event event;

	epoll_wait(own_fd[self], &event, 1, 0);
	KEEP_FRAME();
}

/* Looks for events, in place of waiting, each time before it parks. */
static void *look_and_serve(void *number)
{
	unsigned self = (unsigned)(uintptr_t)number;
	enum order order = NONE;

	while (order != END) {
		look(self);
		order = take_order(self);
		call_back(order);
	}
	return NULL;
}

/* The thread's only function that calls both what parks and what waits. */
static void *serve(void *number)
{
	unsigned self = (unsigned)(uintptr_t)number;
	enum order order;

	while ((order = take_order(self)) != END) {
		call_back(order);
		if (order == HOLD)
			hold_seat(epoll_fd);
		if (order == WAIT || order == SPIN_AND_WAIT)
			wait_for_events(epoll_fd, 1);
		if (order == SPIN_AND_POLL_OWN)
			poll_own();
		if (order == TURN_OWN)
			turn_own();
		if (order == JOIN_OTHERS)
			join_others(self);
	}
	return NULL;
}

static bool is_parked(unsigned thread)
{
	bool is_parked;

	pthread_mutex_lock(&lock);
	is_parked = pool[thread].parks && !pool[thread].order;
	pthread_mutex_unlock(&lock);
	return is_parked;
}

static void give(unsigned thread, enum order order)
{
	pthread_mutex_lock(&lock);
	pool[thread].order = order;
	pthread_cond_signal(&pool[thread].ordered);
	pthread_mutex_unlock(&lock);
}

static void until_parked(unsigned thread)
{
	while (!is_parked(thread))
		usleep(200);
}

static void order(unsigned thread, enum order order)
{
	give(thread, order);
	until_parked(thread);
}

static void leave_seat(unsigned thread)
{
	eventfd_write(event_fd, 1);
	until_parked(thread);
}

static void idle(void)
{
	usleep(STALL_NS / 1000);
}

/* The first takes the seat, having waited before; the others are cold. */
static void take_first_seat(void)
{
	for (unsigned i = 0; i < 3; i++)
		order(0, WAIT);
	give(0, HOLD);
}

/* The second comes from where it parks to the seat, for the second time. */
static void show_turns(void)
{
	order(1, WAKE);
	leave_seat(0);
	order(1, WAIT);
	give(0, HOLD);
}

static void run_turns(void)
{
	take_first_seat();
	show_turns();
	order(2, POLL);
	order(2, AWAIT);
	order(2, SPIN);
	leave_seat(0);
}

/* It shows by itself that its run was one: it takes the seat at its end. */
static void run_own_turn(void)
{
	take_first_seat();
	order(2, WAKE);
	leave_seat(0);
	order(2, SPIN_AND_WAIT);
}

/* Nobody has shown yet that they take turns. */
static void run_unknown(void)
{
	take_first_seat();
	order(2, SPIN);
	order(2, POLL);
	order(2, AWAIT);
	leave_seat(0);
}

/* It waits for a word before it starts, and has much to do until it waits. */
static void run_start(void)
{
	take_first_seat();
	leave_seat(0);
	order(1, SPIN_AND_WAIT);
	order(2, SPIN_AND_WAIT);
}

/* It waits for a word before it starts with another loop than theirs. */
static void run_other_loop(void)
{
	take_first_seat();
	order(2, TURN_OWN);
	leave_seat(0);
}

/* Two do: the first, which has its loop by now, idles while the other waits. */
static void run_other_turns(void)
{
	take_first_seat();
	order(1, JOIN_OTHERS);
	for (unsigned i = 0; i < 4; i++)
		order(1, WAIT);
	order(2, JOIN_OTHERS);
	give(2, HOLD);
	idle();
	order(1, WAIT);
	eventfd_write(event_fd, 2);
	until_parked(0);
	until_parked(2);
	order(1, END);
	order(2, END);
}

/* It waits for a word before it starts, and parks deeper in its stack then. */
static void run_deeper(void)
{
	order(0, JOIN_OTHERS);
	for (unsigned i = 0; i < 4; i++)
		order(0, WAIT);
	give(0, HOLD);
	order(1, JOIN_OTHERS);
	idle();
	leave_seat(0);
	order(1, WAIT);
	order(0, END);
	order(1, END);
}

/* Workers each of whose jobs has a loop of its own. */
static void run_jobs(void)
{
	for (unsigned i = 0; i < 4 * THREADS; i++)
		order(i % THREADS, SPIN_AND_POLL_OWN);
}

/* Workers that look for events of their own, or all for the same. */
static void run_looks(void)
{
	for (unsigned i = 0; i < THREADS; i++) {
		idle();
		order(i, WAKE);
	}
	idle();
	order(1, SPIN);
	order(2, AWAIT);
	idle();
}

/* As a loop does that waits in each of its turns, and has no others like it. */
static void run_look_alone(void)
{
	for (int i = 0; i < 3; i++) {
		idle();
		order(0, WAKE);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
	void *(*serve)(void *number);
	unsigned threads;
	bool is_shared;
} whats[] = {
	{ "turns", run_turns, serve, THREADS, true },
	{ "own-turn", run_own_turn, serve, THREADS, true },
	{ "unknown", run_unknown, serve, THREADS, true },
	{ "start", run_start, serve, THREADS, true },
	{ "other-loop", run_other_loop, serve, THREADS, true },
	{ "other-turns", run_other_turns, serve, THREADS, true },
	{ "deeper", run_deeper, serve, THREADS, true },
	{ "jobs", run_jobs, serve, THREADS, true },
	{ "looks", run_looks, look_and_serve, THREADS, false },
	{ "looks-shared", run_looks, look_and_serve, THREADS, true },
	{ "look-alone", run_look_alone, look_and_serve, 1, false },
};

#define WHATS (sizeof(whats) / sizeof(whats[0]))

static void start(pthread_t *thread, unsigned what)
{
	struct epoll_event event = { .events = EPOLLIN };

	epoll_fd = epoll_create1(0);
	event_fd = eventfd(0, EFD_SEMAPHORE);
	epoll_ctl(epoll_fd, EPOLL_CTL_ADD, event_fd, &event);
	others_fd = epoll_create1(0);
	epoll_ctl(others_fd, EPOLL_CTL_ADD, event_fd, &event);
	for (unsigned i = 0; i < whats[what].threads; i++) {
		own_fd[i] = whats[what].is_shared ? epoll_fd : epoll_create1(0);
		pthread_cond_init(&pool[i].ordered, NULL);
		pthread_create(&thread[i], NULL, whats[what].serve,
			       (void *)(uintptr_t)i);
		until_parked(i);
	}
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	unsigned what = 0;

	while (what < WHATS &&
	       (argc < 2 || strcmp(whats[what].name, argv[1]) != 0))
		what++;
	if (what == WHATS)
		return 2;
	start(thread, what);
	whats[what].run();
	for (unsigned i = 0; i < whats[what].threads; i++)
		give(i, END);
	for (unsigned i = 0; i < whats[what].threads; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
