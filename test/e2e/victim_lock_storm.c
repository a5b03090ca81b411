/*
 * Threads that take locks of every kind at random, for random times, some with
 * deadlines that pass. In the end all are free.
 *
 * usage: victim_lock_storm
 *
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "victim.h"

#define THREADS 6
#define STEPS	3000

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t fair =
	PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static pthread_spinlock_t spinlock;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;
static pthread_barrier_t barrier;

static struct timespec soon(uint64_t ns)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	ns += (uint64_t)t.tv_nsec;
	t.tv_sec += (time_t)(ns / NS_PER_S);
	t.tv_nsec = (long)(ns % NS_PER_S);
	return t;
}

/* 0: taken. */
static int take_rwlock(pthread_rwlock_t *l, unsigned how)
{
	struct timespec until = soon(how * 1000);

	switch (how % 8) {
	case 0:
		return pthread_rwlock_wrlock(l);
	case 1:
		return pthread_rwlock_clockwrlock(l, CLOCK_MONOTONIC, &until);
	case 2:
		return pthread_rwlock_trywrlock(l);
	case 3:
	case 4:
		return pthread_rwlock_clockrdlock(l, CLOCK_MONOTONIC, &until);
	case 5:
		return pthread_rwlock_tryrdlock(l);
	default:
		return pthread_rwlock_rdlock(l);
	}
}

static void use_rwlock(pthread_rwlock_t *l, unsigned how)
{
	if (take_rwlock(l, how))
		return;
	spin(how * 100);
	pthread_rwlock_unlock(l);
}

static void use_semaphore(unsigned how)
{
	struct timespec until = soon(how * 1000);

	if (sem_clockwait(&semaphore, CLOCK_MONOTONIC, &until))
		return;
	spin(how * 100);
	sem_post(&semaphore);
}

static void use_mutex(unsigned how)
{
	struct timespec until = soon(how * 1000);

	if (pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &until))
		return;
	spin(how * 100);
	pthread_mutex_unlock(&mutex);
}

static void use_spinlock(unsigned how)
{
	pthread_spin_lock(&spinlock);
	spin(how);
	pthread_spin_unlock(&spinlock);
}

static atomic_int tid; /* of the thread that has begun last */

static void *storm(void *arg)
{
	unsigned seed = (unsigned)(uintptr_t)arg;

	atomic_store(&tid, gettid());
	sem_wait(&semaphore);
	sem_post(&semaphore);
	for (int step = 0; step < STEPS; step++) {
		unsigned how = (unsigned)rand_r(&seed) % 256;

		switch (rand_r(&seed) % 5) {
		case 0:
			use_rwlock(&rwlock, how);
			break;
		case 1:
			use_rwlock(&fair, how);
			break;
		case 2:
			use_semaphore(how);
			break;
		case 3:
			use_mutex(how);
			break;
		case 4:
			use_spinlock(how);
			break;
		}
		if (step % 500 == 0)
			pthread_barrier_wait(&barrier);
	}
	return NULL;
}

/* What timed out is owed until the lock is next let go of. */
static void pay(void)
{
	pthread_rwlock_wrlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	pthread_rwlock_wrlock(&fair);
	pthread_rwlock_unlock(&fair);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	sem_wait(&semaphore);
	sem_post(&semaphore);
}

int main(void)
{
	pthread_t thread[THREADS];

	pthread_spin_init(&spinlock, PTHREAD_PROCESS_PRIVATE);
	sem_init(&semaphore, 0, 0);
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, storm, (void *)(i + 1));
	while (!sleeps(atomic_load(&tid)))
		;
	sem_post(&semaphore);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	pay();
	puts("over");
	return 0;
}
