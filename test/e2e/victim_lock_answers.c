/*
 * What locks other than mutexes answer where something is wrong, or out of the
 * ordinary (victim_answers.h).
 *
 * usage: victim_lock_answers CASE (see cases[])
 *
 * SPDX-License-Identifier: MIT
 */
#include <semaphore.h>
#include <signal.h>

#include "victim_answers.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void use_rwlock(void)
{
	SHOW(pthread_rwlock_timedrdlock(&l, &odd));
	SHOW(pthread_rwlock_timedwrlock(&l, &negative));
	SHOW(pthread_rwlock_clockrdlock(&l, CLOCK_PROCESS_CPUTIME_ID, &past));
	SHOW(pthread_rwlock_clockwrlock(&l, CLOCK_PROCESS_CPUTIME_ID, &past));
	SHOW(pthread_rwlock_clockwrlock(&l, CLOCK_MONOTONIC, &odd));
	if (!pthread_rwlock_tryrdlock(&l)) {
		puts("may be read");
		SHOW(pthread_rwlock_timedrdlock(&l, &past));
		SHOW(pthread_rwlock_clockrdlock(&l, CLOCK_MONOTONIC, &past));
		SHOW(pthread_rwlock_trywrlock(&l));
		SHOW(pthread_rwlock_unlock(&l));
		SHOW(pthread_rwlock_unlock(&l));
		SHOW(pthread_rwlock_unlock(&l));
	}
	if (!pthread_rwlock_trywrlock(&l)) {
		puts("may be written");
		SHOW(pthread_rwlock_rdlock(&l));
		SHOW(pthread_rwlock_wrlock(&l));
		SHOW(pthread_rwlock_timedrdlock(&l, &past));
		SHOW(pthread_rwlock_timedwrlock(&l, &past));
		SHOW(pthread_rwlock_tryrdlock(&l));
		SHOW(pthread_rwlock_unlock(&l));
	}
	SHOW(pthread_rwlock_timedwrlock(&l, &past));
	SHOW(pthread_rwlock_clockwrlock(&l, CLOCK_MONOTONIC, &past));
}

#define ALL_READERS 0x7ffffff8u /* as many as the lock can count */

static void rwlocks(void)
{
	SHOW(pthread_rwlock_rdlock(&l));
	elsewhere(use_rwlock);
	SHOW(pthread_rwlock_unlock(&l));
	SHOW(pthread_rwlock_wrlock(&l));
	elsewhere(use_rwlock);
	SHOW(pthread_rwlock_unlock(&l));
	use_rwlock();
	SHOW(pthread_rwlock_unlock(&l));
	SHOW(pthread_rwlock_destroy(&l));
	SHOW(pthread_rwlock_init(&l, NULL));
	SHOW(pthread_rwlock_rdlock(&l));
	l.__data.__readers = ALL_READERS;
	SHOW(pthread_rwlock_rdlock(&l));
	SHOW(pthread_rwlock_tryrdlock(&l));
	SHOW(pthread_rwlock_timedrdlock(&l, &past));
}

static void spin_locks(void)
{
	pthread_spinlock_t s;

	SHOW(pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE));
	SHOW(pthread_spin_lock(&s));
	SHOW(pthread_spin_trylock(&s));
	SHOW(pthread_spin_unlock(&s));
	SHOW(pthread_spin_trylock(&s));
	SHOW(pthread_spin_unlock(&s));
	SHOW(pthread_spin_destroy(&s));
}

static sem_t s;

static void value(void)
{
	int n;

	sem_getvalue(&s, &n);
	printf("value %d\n", n);
}

static void try_semaphore(void)
{
	SHOW(sem_trywait(&s));
	SHOW(sem_timedwait(&s, &past));
	SHOW(sem_timedwait(&s, &odd));
	SHOW(sem_clockwait(&s, CLOCK_MONOTONIC, &past));
	SHOW(sem_clockwait(&s, CLOCK_MONOTONIC, &negative));
	SHOW(sem_clockwait(&s, CLOCK_PROCESS_CPUTIME_ID, &past));
	value();
}

static void ignore(int sig)
{
	(void)sig;
}

static void wait_broken(void)
{
	static const struct timespec never = { 1L << 40, 0 };

	SHOW(sem_wait(&s));
	SHOW(sem_timedwait(&s, &never));
	SHOW(sem_clockwait(&s, CLOCK_MONOTONIC, &never));
}

static void wait_for_post(void)
{
	sem_wait(&s);
}

static void semaphores(void)
{
	struct sigaction action = { .sa_handler = ignore };
	struct waiter *waiter;

	sigaction(SIGUSR2, &action, NULL);
	SHOW(sem_init(&s, 0, 3));
	SHOW(sem_wait(&s));
	try_semaphore();
	try_semaphore();
	waiter = start(wait_broken, NULL);
	while (!atomic_load(&waiter->got_ns))
		if (sleeps(atomic_load(&waiter->tid)))
			pthread_kill(waiter->thread, SIGUSR2);
	join_all();
	threads = 0;
	start_waiter(wait_for_post, NULL);
	SHOW(sem_post(&s));
	join_all();
	value();
	SHOW(sem_destroy(&s));
	SHOW(sem_init(&s, 0, ~0u));
	SHOW(sem_init(&s, 0, ~0u >> 1));
	SHOW(sem_post(&s));
	SHOW(sem_wait(&s));
	value();
}

static pthread_barrier_t b;
static atomic_int serials, others;

static void meet(void)
{
	int answer = pthread_barrier_wait(&b);

	if (answer == PTHREAD_BARRIER_SERIAL_THREAD)
		atomic_fetch_add(&serials, 1);
	if (answer == 0)
		atomic_fetch_add(&others, 1);
}

static void barriers(void)
{
	SHOW(pthread_barrier_init(&b, NULL, 0));
	SHOW(pthread_barrier_init(&b, NULL, 1));
	SHOW(pthread_barrier_wait(&b));
	SHOW(pthread_barrier_destroy(&b));
	SHOW(pthread_barrier_init(&b, NULL, 4));
	for (int i = 0; i < 3; i++)
		start(meet, NULL);
	meet();
	join_all();
	SHOW(pthread_barrier_destroy(&b));
	printf("%d serial, %d others\n", serials, others);
}

static const struct lock_case cases[] = {
	{ "rwlocks", rwlocks },
	{ "spin_locks", spin_locks },
	{ "semaphores", semaphores },
	{ "barriers", barriers },
};

int main(int argc, char **argv)
{
	return run_case(cases, sizeof(cases) / sizeof(*cases),
			argc > 1 ? argv[1] : NULL);
}
