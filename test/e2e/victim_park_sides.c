/*
 * Threads that change sides: of a pool for jobs, one of which is to take turns
 * at an epoll descriptor with others that do. Each begins by that.
 *
 * usage: victim_park_sides
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "victim_turns.h"

typedef void job(void);

static pthread_cond_t queued = PTHREAD_COND_INITIALIZER;
static job *next_job;	  /* guarded by lock; NULL: there is none */
static atomic_uint taken; /* jobs */

static void job_ends(void)
{
}

/* Until one deadline after the other, as in a pool that may shrink. */
static job *take_job(void)
{
	struct timespec until;
	job *next;

	pthread_mutex_lock(&lock);
	while (!next_job) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += 10;
		pthread_cond_timedwait(&queued, &lock, &until);
	}
	next = next_job;
	next_job = NULL;
	pthread_mutex_unlock(&lock);
	atomic_fetch_add(&taken, 1);
	return next;
}

static void *run_jobs(void *unused)
{
	job *next;

	while ((next = take_job()) != job_ends)
		next();
	return unused;
}

static void give_job(job *given)
{
	unsigned before = atomic_load(&taken);

	pthread_mutex_lock(&lock);
	next_job = given;
	pthread_cond_signal(&queued);
	pthread_mutex_unlock(&lock);
	while (atomic_load(&taken) == before)
		usleep(100);
}

/* Main waits for conditions: for a thread that sleeps there. */

static atomic_int idle; /* the thread that is about to have nothing to do */

static void until_idle(void)
{
	while (!atomic_load(&idle) || !sleeps(atomic_load(&idle)))
		usleep(100);
	usleep(STALL_NS / 1000);
	atomic_store(&idle, 0);
}

/* The turns. */

static atomic_uint turns_made;
static atomic_bool may_leave; /* one of them */
static atomic_bool is_over;   /* all do */

static void take_seat(void)
{
	pthread_mutex_lock(&lock);
	while (has_poller)
		pthread_cond_wait(&place_free, &lock);
	has_poller = true;
	pthread_mutex_unlock(&lock);
}

static void leave_seat(void)
{
	pthread_mutex_lock(&lock);
	has_poller = false;
	pthread_cond_signal(&place_free);
	pthread_mutex_unlock(&lock);
	atomic_fetch_add(&turns_made, 1);
}

static atomic_bool asks;
static pthread_cond_t answered = PTHREAD_COND_INITIALIZER;
static bool is_answered;

static __attribute__((noinline)) void callback_asks(void)
{
	pthread_mutex_lock(&lock);
	atomic_store(&idle, gettid());
	while (!is_answered)
		pthread_cond_wait(&answered, &lock);
	pthread_mutex_unlock(&lock);
}

static void answer(void)
{
	pthread_mutex_lock(&lock);
	is_answered = true;
	pthread_cond_signal(&answered);
	pthread_mutex_unlock(&lock);
}

static const struct event {
	job *callback;
} event = { callback_asks };
static const struct event *volatile event_of_turn = &event;

static void job_turns(void)
{
	while (!atomic_load(&is_over) && !atomic_exchange(&may_leave, false)) {
		take_seat();
		wait_for_events(1);
		leave_seat();
		/* The other one sits down meanwhile. */
		usleep(100);
		if (atomic_exchange(&asks, false))
			event_of_turn->callback();
	}
	atomic_store(&idle, gettid());
}

static void until_turned(void)
{
	unsigned until = atomic_load(&turns_made) + 40;

	while (atomic_load(&turns_made) < until)
		usleep(100);
}

static void job_sleeps(void)
{
	usleep(STALL_NS / 1000);
	atomic_store(&idle, gettid());
}

int main(void)
{
	pthread_t thread[2];

	epoll_fd = epoll_create1(0);
	for (int i = 0; i < 2; i++) {
		/* It finds the job there, and has not parked before. */
		next_job = job_turns;
		pthread_create(&thread[i], NULL, run_jobs, NULL);
		while (atomic_load(&taken) < (unsigned)i + 1)
			usleep(100);
	}
	until_turned();
	atomic_store(&may_leave, true);
	until_idle();
	give_job(job_sleeps);
	until_idle();
	give_job(job_turns);
	until_turned();
	atomic_store(&asks, true);
	until_idle();
	answer();
	until_turned();
	atomic_store(&is_over, true);
	for (int i = 0; i < 2; i++)
		give_job(job_ends);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	exit(0);
}
