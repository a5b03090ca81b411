/*
 * A pool of four that take turns at a clock of 5 ms: who parks is often woken
 * just when its tick is due.
 *
 * usage: victim_park_leaders WHAT
 * WHAT: for-ever; soon, soon-sem, soon-futex (each time for a while only)
 * prints the longest run by their own clock, in ns
 *
 * SPDX-License-Identifier: MIT
 */
#include <linux/futex.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "victim_turns.h"

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

static void run_for_ever(void)
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

static const struct {
	const char *name;
	void (*run)(void);
} whats[] = {
	{ "for-ever", run_for_ever },
	{ "soon", run_soon },
	{ "soon-sem", run_soon_sem },
	{ "soon-futex", run_soon_futex },
};

int main(int argc, char **argv)
{
	epoll_fd = epoll_create1(0);
	for (size_t i = 0; i < sizeof(whats) / sizeof(whats[0]); i++) {
		if (argc > 1 && !strcmp(argv[1], whats[i].name)) {
			whats[i].run();
			exit(0);
		}
	}
	return 2;
}
