/*
 * A program whose recording others tamper with while it does all that is
 * recorded: loops that stall, in calls too, and threads that contend for many
 * locks of each kind.
 *
 * usage: victim_tampered
 * runs until it is sent SIGUSR2; prints whether all sums are right
 *
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "victim.h"

#define WORKERS 3
#define LOOPS	2
#define LOCKS	64

static atomic_bool over;

static pthread_mutex_t lock[LOCKS];
static uint64_t shared[LOCKS]; /* each guarded by its lock */
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static uint64_t written; /* guarded by rwlock */
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static sem_t tokens;
static _Atomic uint64_t done, wrote;

static void hold(unsigned i)
{
	pthread_mutex_lock(&lock[i]);
	shared[i]++;
	spin(20000);
	pthread_cond_signal(&turned);
	pthread_mutex_unlock(&lock[i]);
	atomic_fetch_add(&done, 1);
}

static void wait_a_moment(unsigned i)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec = (until.tv_nsec + 100000) % 1000000000;
	pthread_mutex_lock(&lock[i]);
	pthread_cond_timedwait(&turned, &lock[i], &until);
	pthread_mutex_unlock(&lock[i]);
}

static void write_and_read(void)
{
	pthread_rwlock_wrlock(&rwlock);
	written++;
	spin(10000);
	pthread_rwlock_unlock(&rwlock);
	atomic_fetch_add(&wrote, 1);
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
}

static void pass_a_token(void)
{
	sem_wait(&tokens);
	spin(5000);
	sem_post(&tokens);
}

static void *work(void *arg)
{
	for (unsigned i = 0; !atomic_load(&over); i++) {
		hold(i % 4 ? 0 : i / 4 % LOCKS);
		if (i % 16 == 0)
			wait_a_moment(i / 16 % LOCKS);
		write_and_read();
		pass_a_token();
	}
	return arg;
}

static void stall(unsigned i)
{
	if (i % 3 == 0)
		usleep(2500);
	else if (i % 3 == 1)
		hold(0);
	spin(2 * NS_PER_MS);
}

static void *turn(void *arg)
{
	for (unsigned i = 0; !atomic_load(&over); i++) {
		poll(NULL, 0, i % 2);
		stall(i);
	}
	return arg;
}

static void end(int sig)
{
	(void)sig;
	atomic_store(&over, true);
}

static uint64_t sum(void)
{
	uint64_t n = 0;

	for (int i = 0; i < LOCKS; i++)
		n += shared[i];
	return n;
}

int main(void)
{
	pthread_t thread[WORKERS + LOOPS];

	signal(SIGUSR2, end);
	sem_init(&tokens, 0, 1);
	for (int i = 0; i < LOCKS; i++)
		pthread_mutex_init(&lock[i], NULL);
	for (int i = 0; i < WORKERS + LOOPS; i++)
		pthread_create(&thread[i], NULL, i < WORKERS ? work : turn,
			       NULL);
	turn(NULL);
	for (int i = 0; i < WORKERS + LOOPS; i++)
		pthread_join(thread[i], NULL);
	puts(sum() == done && written == wrote ? "all sums are right"
					       : "wrong");
	return 7;
}
