/*
 * Lock and unlock of a lock nobody else wants. A second thread exists, as libc
 * takes a short cut in a process with one.
 *
 * usage: lock_pair [mutex | read | write | spin | semaphore | once]
 *
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#define PAIRS 10000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spinlock;
static sem_t semaphore;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static volatile unsigned guarded;

#define PAIR(name, lock, unlock)                                               \
	static void name(void)                                                 \
	{                                                                      \
		for (int i = 0; i < PAIRS; i++) {                              \
			lock;                                                  \
			guarded++;                                             \
			unlock;                                                \
		}                                                              \
	}
PAIR(use_mutex, pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex))
PAIR(use_read, pthread_rwlock_rdlock(&rwlock), pthread_rwlock_unlock(&rwlock))
PAIR(use_write, pthread_rwlock_wrlock(&rwlock), pthread_rwlock_unlock(&rwlock))
PAIR(use_spin, pthread_spin_lock(&spinlock), pthread_spin_unlock(&spinlock))
PAIR(use_semaphore, sem_wait(&semaphore), sem_post(&semaphore))

static void init(void)
{
	guarded++;
}
PAIR(use_once, pthread_once(&once, init), (void)0)

static const struct {
	const char *name;
	void (*use)(void);
} kinds[] = {
	{ "mutex", use_mutex },		{ "read", use_read },
	{ "write", use_write },		{ "spin", use_spin },
	{ "semaphore", use_semaphore }, { "once", use_once },
};

static void *idle(void *unused)
{
	pause();
	return unused;
}

static void measure(void (*use)(void))
{
	uint64_t begun_ns = bench_now_ns(), pairs = 0;

	do {
		use();
		pairs += PAIRS;
	} while (bench_now_ns() - begun_ns < RUN_NS);
	bench_print(begun_ns, pairs);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "mutex";
	pthread_t thread;

	if (pthread_create(&thread, NULL, idle, NULL) != 0)
		bench_die("pthread_create");
	pthread_spin_init(&spinlock, PTHREAD_PROCESS_PRIVATE);
	sem_init(&semaphore, 0, 1);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].name, kind))
			measure(kinds[i].use);
	return 0;
}
