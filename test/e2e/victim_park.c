/*
 * Threads that park: they take turns at one epoll descriptor. And callbacks
 * that wait, which is no parking.
 *
 * usage: victim_park WHAT
 *
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "victim_turns.h"

static int pipes[2]; /* nothing in it */

static __attribute__((noinline)) void callback_spins(void)
{
	spin(STALL_NS);
}

static atomic_int awaiting; /* the thread that does; 0: none yet */

static void until_awaited(void)
{
	while (!atomic_load(&awaiting) || !sleeps(atomic_load(&awaiting)))
		usleep(100);
}

/* A thread of these, and what it calls in one of its turns. */
struct member {
	int number;
	bool has_waited; /* before it first parks */
	void (*callback)(void);
};

static atomic_int waited;

/* One after the other, and both before any goes on. */
static void wait_first(int self)
{
	while (atomic_load(&waited) != self)
		usleep(100);
	wait_for_events(1);
	atomic_store(&waited, self + 1);
	while (atomic_load(&waited) != 2)
		usleep(100);
}

/* Waits of 40 ms, so that the other one parks for as long. */
static void *take_turns(void *member)
{
	const struct member *self = member;
	unsigned turn = 0;

	if (self->has_waited)
		wait_first(self->number);
	else
		atomic_store(&awaiting, gettid());
	while (turn < 20) {
		take_place(self->number);
		wait_for_events(40);
		turn = give_place(self->number);
		if (turn == 14)
			self->callback();
	}
	return NULL;
}

static void begin_turns(pthread_t *thread, struct member *member)
{
	pthread_create(&thread[1], NULL, take_turns, &member[1]);
	/* Who teaches where they park is there first. */
	if (!member[1].has_waited)
		until_awaited();
	pthread_create(&thread[0], NULL, take_turns, &member[0]);
}

static void end_turns(const pthread_t *thread)
{
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
}

static void run_turns(void)
{
	struct member member[] = { { 0, false, callback_spins },
				   { 1, false, callback_spins } };
	pthread_t thread[2];

	begin_turns(thread, member);
	end_turns(thread);
}

/* A callback that waits for what another thread finishes. */

static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static bool is_done;
static __attribute__((noinline)) void await_done(void)
{
	atomic_store(&awaiting, gettid());
	pthread_mutex_lock(&lock);
	while (!is_done)
		pthread_cond_wait(&done, &lock);
	is_done = false;
	pthread_mutex_unlock(&lock);
}

static void finish(void)
{
	pthread_mutex_lock(&lock);
	is_done = true;
	pthread_cond_broadcast(&done);
	pthread_mutex_unlock(&lock);
}

static void callback_awaits(void)
{
	await_done();
}

/* Turns of two that have both waited for events before any of them parks. */
static void run_late_turns(void)
{
	struct member member[] = { { 0, true, callback_awaits },
				   { 1, true, callback_awaits } };
	pthread_t thread[2];

	begin_turns(thread, member);
	until_awaited();
	usleep(STALL_NS / 1000);
	finish();
	end_turns(thread);
}

/* As where the compiler has put the callback into the loop's function. */
static bool is_inlined;

static void *loop_that_awaits(void *unused)
{
	for (int i = 0; i < 20; i++) {
		wait_for_events(1);
		if (i == 10 && is_inlined)
			await_done();
		else if (i == 10)
			callback_awaits();
	}
	return unused;
}

/* The same wait, outermost in a thread that never waits for events. */
static void *await_in_thread(void *unused)
{
	await_done();
	return unused;
}

/* A thread that waits in a callback, once for as long as a stall. */
static void run_awaiting(void *(*loop)(void *))
{
	pthread_t thread;

	pthread_create(&thread, NULL, loop, NULL);
	until_awaited();
	usleep(STALL_NS / 1000);
	finish();
	pthread_join(thread, NULL);
}

static void run_future(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, await_in_thread, NULL);
	until_awaited();
	finish();
	pthread_join(thread, NULL);
	atomic_store(&awaiting, 0);
	run_awaiting(loop_that_awaits);
}

static atomic_bool is_over;

static void *wait_until_over(void *unused)
{
	while (!atomic_load(&is_over))
		wait_for_events(1);
	return unused;
}

/* While another thread takes turns with that one. */
static void run_inlined(void)
{
	pthread_t other;

	pthread_create(&other, NULL, wait_until_over, NULL);
	is_inlined = true;
	run_future();
	atomic_store(&is_over, true);
	pthread_join(other, NULL);
}

/*
 * A loop that waits for the other thread in each of its turns, from the first
 * on, before it waits for events: two loops of one program may do so.
 */

static atomic_int awaiting; /* the thread that is about to; 0: none */

static void turn_awaits(void)
{
	atomic_store(&awaiting, gettid());
	await_done();
}

/* Finishes what the thread waits for, once it has slept for so long. */
static void finish_after(uint64_t ns)
{
	int tid;

	while (!(tid = atomic_load(&awaiting)) || !sleeps(tid))
		sched_yield();
	usleep((useconds_t)(ns / 1000));
	atomic_store(&awaiting, 0);
	finish();
}

static void wait_by_epoll(void)
{
	wait_for_events(1);
}

static void wait_by_poll(void)
{
	struct pollfd fd = { pipes[0], POLLIN, 0 };

	poll(&fd, 1, 1);
}

static void (*wait_in_turn)(void);
static bool has_job_at_once;

static void *loop_of_own_turns(void *unused)
{
	if (has_job_at_once)
		wait_in_turn();
	for (int i = 0; i < 15; i++) {
		turn_awaits();
		wait_in_turn();
	}
	return unused;
}

/* In two of its turns it waits for long. */
static void run_own_turns(void (*wait)(void))
{
	pthread_t thread;

	wait_in_turn = wait;
	pthread_create(&thread, NULL, loop_of_own_turns, NULL);
	for (int i = 0; i < 15; i++)
		finish_after(i == 5 || i == 12 ? STALL_NS : 0);
	pthread_join(thread, NULL);
}

static void run_own_turns_epoll(void)
{
	run_own_turns(wait_by_epoll);
}

/* The other thread has waited at the same descriptor, and never does again. */
static void *wait_once(void *unused)
{
	wait_for_events(1);
	atomic_store(&awaiting, gettid());
	pause();
	return unused;
}

static void run_own_turns_left(void)
{
	pthread_t other;

	pthread_create(&other, NULL, wait_once, NULL);
	until_awaited();
	atomic_store(&awaiting, 0);
	run_own_turns_epoll();
}

/* A worker that asks for something by each of its jobs, and is idle between. */
static void run_own_turns_poll(void)
{
	run_own_turns(wait_by_poll);
}

/* One that a pool makes as it is given its first job. */
static void run_worker_with_job(void)
{
	has_job_at_once = true;
	run_own_turns_poll();
}

/* What polls one descriptor may be a loop: its callbacks are called by it. */
static void *loop_that_polls_one(void *unused)
{
	struct pollfd fd = { pipes[0], POLLIN, 0 };

	for (int i = 0; i < 10; i++) {
		poll(&fd, 1, 1);
		if (i == 3)
			callback_awaits();
	}
	return unused;
}

static void run_polls_one(void)
{
	run_awaiting(loop_that_polls_one);
}

static const struct {
	const char *name;
	void (*run)(void);
} things[] = {
	{ "turns", run_turns },
	{ "late-turns", run_late_turns },
	{ "future", run_future },
	{ "own-turns", run_own_turns_epoll },
	{ "worker", run_own_turns_poll },
	{ "worker-with-job", run_worker_with_job },
	{ "polls-one", run_polls_one },
	{ "inlined", run_inlined },
	{ "own-turns-left", run_own_turns_left },
};

int main(int argc, char **argv)
{
	epoll_fd = epoll_create1(0);
	if (pipe(pipes))
		return 2;
	for (size_t i = 0; i < sizeof(things) / sizeof(things[0]); i++) {
		if (argc > 1 && !strcmp(argv[1], things[i].name)) {
			things[i].run();
			exit(0);
		}
	}
	return 2;
}
