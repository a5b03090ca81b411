/*
 * Threads that wait for a token, for as long as it takes or until one deadline
 * after the other: to take turns, to be idle in a pool, or in a callback.
 *
 * usage: victim_park_tokens WHAT WAY
 *
 * SPDX-License-Identifier: MIT
 */
#include <linux/futex.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include "victim.h"

#define STALL_NS    (60 * NS_PER_MS)
#define DEADLINE_NS (100 * NS_PER_MS)

struct token {
	pthread_mutex_t lock;
	pthread_cond_t posted;
	mtx_t mtx;
	cnd_t signalled;
	sem_t sem;
	atomic_uint count;
	atomic_int waiter; /* a thread that is about to wait, or does */
	atomic_uint taken;
};

static struct timespec deadline(clockid_t clock)
{
	struct timespec at;
	uint64_t ns;

	clock_gettime(clock, &at);
	ns = (uint64_t)at.tv_nsec + DEADLINE_NS;
	at.tv_sec += (time_t)(ns / NS_PER_S);
	at.tv_nsec = (long)(ns % NS_PER_S);
	return at;
}

static void take_by_cond(struct token *t)
{
	pthread_mutex_lock(&t->lock);
	while (!t->count)
		pthread_cond_wait(&t->posted, &t->lock);
	t->count--;
	pthread_mutex_unlock(&t->lock);
}

static void take_by_cond_timed(struct token *t)
{
	struct timespec until;

	pthread_mutex_lock(&t->lock);
	while (!t->count) {
		until = deadline(CLOCK_REALTIME);
		pthread_cond_timedwait(&t->posted, &t->lock, &until);
	}
	t->count--;
	pthread_mutex_unlock(&t->lock);
}

static void take_by_cond_clock(struct token *t)
{
	struct timespec until;

	pthread_mutex_lock(&t->lock);
	while (!t->count) {
		until = deadline(CLOCK_MONOTONIC);
		pthread_cond_clockwait(&t->posted, &t->lock, CLOCK_MONOTONIC,
				       &until);
	}
	t->count--;
	pthread_mutex_unlock(&t->lock);
}

static void take_by_cnd_timed(struct token *t)
{
	struct timespec until;

	mtx_lock(&t->mtx);
	while (!t->count) {
		until = deadline(CLOCK_REALTIME);
		cnd_timedwait(&t->signalled, &t->mtx, &until);
	}
	t->count--;
	mtx_unlock(&t->mtx);
}

static void take_by_sem(struct token *t)
{
	while (sem_wait(&t->sem))
		;
}

static void take_by_sem_timed(struct token *t)
{
	struct timespec until;

	do
		until = deadline(CLOCK_REALTIME);
	while (sem_timedwait(&t->sem, &until));
}

static void take_by_sem_clock(struct token *t)
{
	struct timespec until;

	do
		until = deadline(CLOCK_MONOTONIC);
	while (sem_clockwait(&t->sem, CLOCK_MONOTONIC, &until));
}

/* There is one token at most, and one thread that waits for it. */
static void sleep_in_futex(struct token *t, const struct timespec *for_time)
{
	while (!atomic_exchange(&t->count, 0))
		syscall(SYS_futex, &t->count, FUTEX_WAIT, 0, for_time);
}

static void take_by_futex(struct token *t)
{
	sleep_in_futex(t, NULL);
}

static void take_by_futex_timed(struct token *t)
{
	struct timespec for_time = { .tv_nsec = DEADLINE_NS };

	sleep_in_futex(t, &for_time);
}

static void (*take_it)(struct token *);

static __attribute__((noinline)) void take(struct token *t)
{
	atomic_store(&t->waiter, gettid());
	take_it(t);
	atomic_store(&t->waiter, 0);
	atomic_fetch_add(&t->taken, 1);
}

static void init(struct token *t)
{
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->posted, NULL);
	mtx_init(&t->mtx, mtx_plain);
	cnd_init(&t->signalled);
	sem_init(&t->sem, 0, 0);
}

/* For whatever way it is waited. */
static void post(struct token *t)
{
	pthread_mutex_lock(&t->lock);
	mtx_lock(&t->mtx);
	atomic_fetch_add(&t->count, 1);
	mtx_unlock(&t->mtx);
	pthread_mutex_unlock(&t->lock);
	pthread_cond_signal(&t->posted);
	cnd_signal(&t->signalled);
	sem_post(&t->sem);
	syscall(SYS_futex, &t->count, FUTEX_WAKE, 1, NULL);
}

static void until_awaited(struct token *t)
{
	int waiter;

	while (!(waiter = atomic_load(&t->waiter)) || !sleeps(waiter))
		usleep(100);
}

static void post_and_see_taken(struct token *t)
{
	unsigned before = atomic_load(&t->taken);

	post(t);
	while (atomic_load(&t->taken) == before)
		usleep(100);
}

static struct token tokens[2];
static int epoll_fd;

static void wait_for_events(int ms)
{
	struct epoll_event event;

	epoll_wait(epoll_fd, &event, 1, ms);
}

static struct token answer;

static __attribute__((noinline)) void callback_takes(void)
{
	take(&answer);
}

static void answer_late(void)
{
	until_awaited(&answer);
	usleep(STALL_NS / 1000);
	post_and_see_taken(&answer);
}

/* Two threads poll in turn, for longer than the threshold. */
static void *take_turns(void *number)
{
	int self = (int)(intptr_t)number;

	for (int turn = 0; turn < 10; turn++) {
		take(&tokens[self]);
		wait_for_events(40);
		if (self && turn == 7)
			callback_takes();
		post(&tokens[1 - self]);
	}
	return NULL;
}

static void run_turns(void)
{
	pthread_t thread[2];

	for (intptr_t i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, take_turns, (void *)i);
	for (int i = 0; i < 2; i++)
		until_awaited(&tokens[i]);
	post(&tokens[0]);
	answer_late();
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
}

/* A worker, whose jobs are the first token, and what it answers the second. */
static void (*job)(void);

static void *work(void *unused)
{
	for (;;) {
		take(&tokens[0]);
		job();
		post(&tokens[1]);
	}
	return unused;
}

static void job_loops(void)
{
	for (int i = 0; i < 20; i++)
		wait_for_events(1);
}

static void job_computes(void)
{
	spin(2 * STALL_NS);
}

static void await_job(void (*what)(void))
{
	job = what;
	post(&tokens[0]);
	take_by_sem_clock(&tokens[1]);
	usleep(300000);
}

/* A loop, idle in the pool, work that is no loop's, idle again; all twice. */
static void run_given_back(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	until_awaited(&tokens[0]);
	for (int i = 0; i < 2; i++) {
		await_job(job_loops);
		await_job(job_computes);
	}
}

/* A job that turns a loop for a moment, in each thread of a pool. */
static void job_turns(void)
{
	for (int i = 0; i < 5; i++)
		wait_for_events(1);
}

static void *serve(void *tokens_own)
{
	for (;;) {
		take(tokens_own);
		job();
	}
	return NULL;
}

static void begin_pool(void)
{
	pthread_t thread;

	for (int i = 0; i < 2; i++) {
		pthread_create(&thread, NULL, serve, &tokens[i]);
		until_awaited(&tokens[i]);
	}
}

static void serve_job(int thread, void (*what)(void))
{
	job = what;
	post_and_see_taken(&tokens[thread]);
	until_awaited(&tokens[thread]);
}

/* Between its jobs each thread is idle for longer than to its deadline. */
static void run_pool(void)
{
	begin_pool();
	for (int i = 0; i < 8; i++) {
		serve_job(i % 2, job_turns);
		usleep(3 * DEADLINE_NS / 2 / 1000);
	}
}

/* One turns a loop again, at a descriptor the other has long left; and works.
 */
static void run_pool_apart(void)
{
	begin_pool();
	serve_job(0, job_turns);
	serve_job(1, job_turns);
	usleep(1100000);
	serve_job(0, job_turns);
	serve_job(0, job_computes);
}

/* While the worker is idle a loop waits by the same calls as that. */
static void turn(bool by_callback)
{
	for (int i = 0; i < 20; i++)
		wait_for_events(1);
	if (by_callback)
		callback_takes();
	else
		take(&answer);
}

static void *loop_that_asks(void *unused)
{
	turn(true);
	turn(false);
	wait_for_events(1);
	return unused;
}

static void run_asks(void)
{
	pthread_t worker, loop;

	pthread_create(&worker, NULL, work, NULL);
	until_awaited(&tokens[0]);
	pthread_create(&loop, NULL, loop_that_asks, NULL);
	for (int i = 0; i < 2; i++)
		answer_late();
	pthread_join(loop, NULL);
}

static const struct {
	const char *name;
	void (*take)(struct token *);
} ways[] = {
	{ "pthread_cond_wait", take_by_cond },
	{ "pthread_cond_timedwait", take_by_cond_timed },
	{ "pthread_cond_clockwait", take_by_cond_clock },
	{ "cnd_timedwait", take_by_cnd_timed },
	{ "sem_wait", take_by_sem },
	{ "sem_timedwait", take_by_sem_timed },
	{ "sem_clockwait", take_by_sem_clock },
	{ "futex", take_by_futex },
	{ "futex_timed", take_by_futex_timed },
};

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (!strcmp(argv[2], ways[i].name))
			take_it = ways[i].take;
	}
	epoll_fd = epoll_create1(0);
	for (int i = 0; i < 2; i++)
		init(&tokens[i]);
	init(&answer);
	if (!strcmp(argv[1], "turns"))
		run_turns();
	else if (!strcmp(argv[1], "given-back"))
		run_given_back();
	else if (!strcmp(argv[1], "pool"))
		run_pool();
	else if (!strcmp(argv[1], "pool-apart"))
		run_pool_apart();
	else if (!strcmp(argv[1], "asks"))
		run_asks();
	else
		return 2;
	exit(0);
}
