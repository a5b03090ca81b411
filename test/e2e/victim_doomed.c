/*
 * A program to be killed at any moment: a loop that stalls at every turn,
 * threads that contend for locks of several kinds, threads that come and go.
 *
 * usage: victim_doomed
 * never ends
 *
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "victim.h"

#define CONTENDERS 3
#define LOCKS	   64

static pthread_mutex_t mutex[LOCKS];
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;

static void use_mutex(unsigned how)
{
	pthread_mutex_t *lock = &mutex[how % 4 ? 0 : how % LOCKS];

	pthread_mutex_lock(lock);
	spin(how * 100);
	pthread_mutex_unlock(lock);
}

static void use_rwlock(unsigned how)
{
	if (how % 4)
		pthread_rwlock_rdlock(&rwlock);
	else
		pthread_rwlock_wrlock(&rwlock);
	spin(how * 100);
	pthread_rwlock_unlock(&rwlock);
}

static void use_semaphore(unsigned how)
{
	sem_wait(&semaphore);
	spin(how * 100);
	sem_post(&semaphore);
}

/* Waits for at most 100 us: nobody need signal it. */
static void use_cond(unsigned how)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 100000;
	if (until.tv_nsec >= (long)NS_PER_S)
		return;
	pthread_mutex_lock(&mutex[0]);
	if (how % 2)
		pthread_cond_timedwait(&cond, &mutex[0], &until);
	else
		pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&mutex[0]);
}

static void *nothing(void *unused)
{
	use_mutex(1);
	return unused;
}

static void come_and_go(unsigned how)
{
	pthread_t thread;

	if (how % 16 == 0 && !pthread_create(&thread, NULL, nothing, NULL))
		pthread_join(thread, NULL);
}

static void *contend(void *arg)
{
	static void (*const uses[])(unsigned) = { use_mutex, use_rwlock,
						  use_semaphore, use_cond,
						  come_and_go };
	unsigned seed = (unsigned)(uintptr_t)arg;

	for (;;) {
		unsigned use = (unsigned)rand_r(&seed) % 5;

		uses[use]((unsigned)rand_r(&seed) % 256);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread;

	for (int i = 0; i < LOCKS; i++)
		pthread_mutex_init(&mutex[i], NULL);
	sem_init(&semaphore, 0, 1);
	for (uintptr_t i = 0; i < CONTENDERS; i++)
		if (pthread_create(&thread, NULL, contend, (void *)(i + 1)))
			return 1;
	for (;;) {
		poll(NULL, 0, 0);
		spin(3 * NS_PER_MS);
		use_mutex(200);
	}
}
