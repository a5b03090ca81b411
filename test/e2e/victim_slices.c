/*
 * A loop whose callback waits for several locks between two ticks, all held by
 * another thread, which lets go of one after the other.
 *
 * usage: victim_slices HOW
 *   locks  5 ms for mutex door, 3 ms for mutex gate, 3 ms for mutex hatch
 *   kinds  8 ms for semaphore mail, 8 ms for mutex door, 6 ms for rwlock
 *          shelf
 *   reuse  50 ms at a barrier, for the mutex that lies there next, and for the
 *          semaphore after that
 *   renamed 50 ms for door, held by who waited for it under another name
 * prints lines "NAME NANOSECONDS", what the waits took by its own clock
 *
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "victim.h"

#define ROUNDS 20

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t hatch = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shelf = PTHREAD_RWLOCK_INITIALIZER;
static sem_t mail;

/* Memory that is one thing after the other; nobody says so. */
static union {
	pthread_barrier_t barrier;
	pthread_mutex_t mutex;
	sem_t mail;
} place;

static pthread_barrier_t all_held;

static void turn(int count)
{
	while (count--)
		poll(NULL, 0, 1);
}

static void pause_ms(long ms)
{
	struct timespec want = { .tv_nsec = ms * (long)NS_PER_MS };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &want, NULL);
}

/* What a thing that is waited for has taken, and how to wait for it. */
struct thing {
	const char *name;
	void (*wait)(void);
	uint64_t ns;
};

#define MUTEX(name)                                                            \
	static __attribute__((noinline, noclone)) void wait_##name(void)       \
	{                                                                      \
		pthread_mutex_lock(&name);                                     \
		pthread_mutex_unlock(&name);                                   \
	}
MUTEX(door)
MUTEX(gate)
MUTEX(hatch)

static __attribute__((noinline, noclone)) void wait_mail(void)
{
	while (sem_wait(&mail))
		;
}

static __attribute__((noinline, noclone)) void wait_shelf(void)
{
	pthread_rwlock_wrlock(&shelf);
	pthread_rwlock_unlock(&shelf);
}

static __attribute__((noinline, noclone)) void callback(struct thing *thing)
{
	for (; thing->wait; thing++) {
		uint64_t begun_ns = now_ns();

		thing->wait();
		thing->ns += now_ns() - begun_ns;
	}
}

static void *hold_locks(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&door);
		pthread_mutex_lock(&gate);
		pthread_mutex_lock(&hatch);
		pthread_barrier_wait(&all_held);
		pause_ms(5);
		pthread_mutex_unlock(&door);
		pause_ms(3);
		pthread_mutex_unlock(&gate);
		pause_ms(3);
		pthread_mutex_unlock(&hatch);
		pthread_barrier_wait(&all_held);
	}
	return unused;
}

static void *hold_kinds(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&door);
		pthread_rwlock_wrlock(&shelf);
		pthread_barrier_wait(&all_held);
		pause_ms(8);
		sem_post(&mail);
		pause_ms(8);
		pthread_mutex_unlock(&door);
		pause_ms(6);
		pthread_rwlock_unlock(&shelf);
		pthread_barrier_wait(&all_held);
	}
	return unused;
}

static void in_rounds(void *(*holder)(void *), struct thing *things)
{
	pthread_t thread;

	pthread_barrier_init(&all_held, NULL, 2);
	pthread_create(&thread, NULL, holder, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&all_held);
		turn(1);
		callback(things);
		turn(1);
		pthread_barrier_wait(&all_held);
	}
	pthread_join(thread, NULL);
	for (; things->wait; things++)
		printf("%s %llu\n", things->name,
		       (unsigned long long)things->ns);
}

static pthread_barrier_t begun;

static void *reuse(void *unused)
{
	pause_ms(50);
	pthread_barrier_wait(&place.barrier);
	pthread_barrier_wait(&begun);
	pthread_mutex_lock(&place.mutex);
	pthread_barrier_wait(&begun);
	pause_ms(50);
	pthread_mutex_unlock(&place.mutex);
	pthread_barrier_wait(&begun);
	pause_ms(50);
	sem_post(&place.mail);
	return unused;
}

static void use_again(void)
{
	pthread_t thread;
	sem_t empty;

	pthread_barrier_init(&begun, NULL, 2);
	pthread_barrier_init(&place.barrier, NULL, 2);
	pthread_create(&thread, NULL, reuse, NULL);
	pthread_barrier_wait(&place.barrier);
	turn(2);
	place.mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	pthread_barrier_wait(&begun);
	pthread_barrier_wait(&begun);
	pthread_mutex_lock(&place.mutex);
	pthread_mutex_unlock(&place.mutex);
	turn(2);
	sem_init(&empty, 0, 0);
	place.mail = empty;
	pthread_barrier_wait(&begun);
	while (sem_wait(&place.mail))
		;
	turn(2);
	pthread_join(thread, NULL);
}

static void *hold_renamed(void *unused)
{
	prctl(PR_SET_NAME, "newcomer");
	pthread_mutex_lock(&door);
	pthread_mutex_unlock(&door);
	prctl(PR_SET_NAME, "worker");
	pthread_mutex_lock(&door);
	pthread_barrier_wait(&begun);
	pause_ms(50);
	pthread_mutex_unlock(&door);
	return unused;
}

static void rename_holder(void)
{
	pthread_t thread;

	pthread_barrier_init(&begun, NULL, 2);
	pthread_mutex_lock(&door);
	pthread_create(&thread, NULL, hold_renamed, NULL);
	await_waiter(&door);
	pthread_mutex_unlock(&door);
	pthread_barrier_wait(&begun);
	turn(2);
	wait_door();
	turn(2);
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	struct thing locks[] = { { "door", wait_door, 0 },
				 { "gate", wait_gate, 0 },
				 { "hatch", wait_hatch, 0 },
				 { 0 } };
	struct thing kinds[] = { { "mail", wait_mail, 0 },
				 { "door", wait_door, 0 },
				 { "shelf", wait_shelf, 0 },
				 { 0 } };
	const char *how = argc > 1 ? argv[1] : "";

	turn(3);
	if (!strcmp(how, "locks"))
		in_rounds(hold_locks, locks);
	else if (!strcmp(how, "kinds"))
		in_rounds(hold_kinds, kinds);
	else if (!strcmp(how, "reuse"))
		use_again();
	else if (!strcmp(how, "renamed"))
		rename_holder();
	else
		return 2;
	turn(2);
	return 0;
}
