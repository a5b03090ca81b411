/*
 * Threads that park: they take turns at one epoll descriptor. And callbacks
 * that wait, which is no parking.
 *
 * usage: victim_park WHAT
 *
 * SPDX-License-Identifier: MIT
 */
#include <linux/futex.h>
#include <poll.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
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

/*
 * A pool of four that take turns at a clock of 5 ms: who parks is often woken
 * just when its tick is due. Their own clock tells the longest run.
 */

#define PERIOD_NS (5 * NS_PER_MS)
#define LAST_TURN 300

static uint64_t longest_run_ns; /* guarded by lock */

/* Where the pool parks for so long at once, as asio's does in run_one_for(). */
#define SOON_NS (15 * (long)NS_PER_MS)

static enum {
	PARKS,
	PARKS_SOON,
	PARKS_BY_SEM,
	PARKS_BY_FUTEX
} how_to_park;

/* Nobody posts, or wakes: they look again. */
static void sleep_soon(const struct timespec *until)
{
	static const struct timespec soon = { .tv_nsec = SOON_NS };
	static sem_t nobody_posts;
	static int nobody_wakes;

	pthread_mutex_unlock(&lock);
	if (how_to_park == PARKS_BY_SEM)
		sem_timedwait(&nobody_posts, until);
	else
		syscall(SYS_futex, &nobody_wakes, FUTEX_WAIT_PRIVATE, 0, &soon,
			NULL, 0);
	pthread_mutex_lock(&lock);
}

static void await_seat(void)
{
	struct timespec until;

	if (how_to_park == PARKS) {
		pthread_cond_wait(&place_free, &lock);
		return;
	}
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += SOON_NS;
	until.tv_sec += until.tv_nsec / (long)NS_PER_S;
	until.tv_nsec %= (long)NS_PER_S;
	if (how_to_park == PARKS_SOON)
		pthread_cond_timedwait(&place_free, &lock, &until);
	else
		sleep_soon(&until);
}

static void note_run(uint64_t begun_ns)
{
	uint64_t ns = now_ns() - begun_ns;

	if (begun_ns && ns > longest_run_ns)
		longest_run_ns = ns;
}

/* With begun_ns the run that ends here: 0 for none. False: no more turns. */
static bool take_seat(uint64_t begun_ns)
{
	pthread_mutex_lock(&lock);
	note_run(begun_ns);
	while (has_poller && turns < LAST_TURN)
		await_seat();
	has_poller = true;
	pthread_mutex_unlock(&lock);
	return turns < LAST_TURN;
}

static void leave_seat(void)
{
	pthread_mutex_lock(&lock);
	has_poller = false;
	if (++turns < LAST_TURN)
		pthread_cond_signal(&place_free);
	else
		pthread_cond_broadcast(&place_free);
	pthread_mutex_unlock(&lock);
}

static void *lead_and_follow(void *timer)
{
	uint64_t begun_ns = 0, expired;

	while (take_seat(begun_ns)) {
		wait_for_events(-1);
		begun_ns = now_ns();
		if (read(*(int *)timer, &expired, sizeof(expired)) < 0)
			_exit(2);
		leave_seat();
		usleep(1000);
	}
	return NULL;
}

static void lead(long period_ns)
{
	struct itimerspec period = { { 0, period_ns }, { 0, period_ns } };
	struct epoll_event event = { .events = EPOLLIN };
	int timer = timerfd_create(CLOCK_MONOTONIC, 0);
	pthread_t thread[4];

	timerfd_settime(timer, 0, &period, NULL);
	epoll_ctl(epoll_fd, EPOLL_CTL_ADD, timer, &event);
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, lead_and_follow, &timer);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	printf("%ju\n", (uintmax_t)longest_run_ns);
}

static void run_leaders(void)
{
	lead(PERIOD_NS);
}

static void lead_slowly(void)
{
	turns = LAST_TURN - 30;
	lead(8 * PERIOD_NS);
}

static void run_soon(void)
{
	how_to_park = PARKS_SOON;
	lead_slowly();
}

static void run_soon_sem(void)
{
	how_to_park = PARKS_BY_SEM;
	lead_slowly();
}

static void run_soon_futex(void)
{
	how_to_park = PARKS_BY_FUTEX;
	lead_slowly();
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
	{ "leaders", run_leaders },
	{ "soon", run_soon },
	{ "soon-sem", run_soon_sem },
	{ "soon-futex", run_soon_futex },
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
