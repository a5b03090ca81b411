/*
 * Waits that end otherwise than they should, or never; and locks that end
 * before their time.
 *
 * usage: victim_lock_left CASE (see cases[])
 * prints what became of it, or as victim_lock_kinds
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <threads.h>

#include "victim_lock.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static const struct timespec never = { 1L << 40, 0 };

RELEASE(mutex, pthread_mutex_unlock(&mutex))
RELEASE(rwlock, pthread_rwlock_unlock(&rwlock))
RELEASE(semaphore, sem_post(&semaphore))

static void take_mutex(void)
{
	pthread_mutex_lock(&mutex);
}

static void take_semaphore(void)
{
	sem_wait(&semaphore);
}

static void take_semaphore_in_time(void)
{
	sem_timedwait(&semaphore, &never);
}

static void take_semaphore_by_clock(void)
{
	sem_clockwait(&semaphore, CLOCK_MONOTONIC, &never);
}

static pthread_t never_ends;

static void join(void)
{
	pthread_join(never_ends, NULL);
}

static void join_in_time(void)
{
	pthread_timedjoin_np(never_ends, NULL, &never);
}

static void join_c11(void)
{
	thrd_join(never_ends, NULL);
}

static void *pause_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void cancel(void (*take)(void))
{
	struct waiter *waiter = start_waiter(take, NULL);
	void *value;

	pthread_cancel(waiter->thread);
	pthread_join(waiter->thread, &value);
	puts(value == PTHREAD_CANCELED ? "cancelled" : "not cancelled");
	threads--;
}

/* Nobody who was cancelled waits any more when the last one comes. */
static void cancelled(void)
{
	sem_init(&semaphore, 0, 0);
	cancel(take_semaphore);
	cancel(take_semaphore_in_time);
	cancel(take_semaphore_by_clock);
	/* What they have waited is paid by this one. */
	sem_post(&semaphore);
	sem_wait(&semaphore);
	start_waiter(take_semaphore, NULL);
	hold_and(release_semaphore, "release_semaphore");
}

static void cancelled_joins(void)
{
	pthread_create(&never_ends, NULL, pause_for_ever, NULL);
	cancel(join);
	cancel(join_in_time);
	cancel(join_c11);
}

static atomic_bool was_cancelled;

static void *wait_when_cancelled(void *arg)
{
	static const struct timespec past = { 1, 0 };
	static const struct timespec odd = { 1, (long)NS_PER_S };

	while (!atomic_load(&was_cancelled))
		;
	/* What is refused does not wait. */
	if (sem_timedwait(&semaphore, &odd) == 0 || errno != EINVAL)
		puts("not refused");
	if (arg)
		sem_wait(&semaphore);
	sem_timedwait(&semaphore, &past);
	return arg;
}

/* A wait that need not wait is a cancellation point, too: nothing is taken. */
static void cancel_before(void *arg)
{
	pthread_t thread;
	void *value;
	int left;

	atomic_store(&was_cancelled, false);
	sem_init(&semaphore, 0, 1);
	pthread_create(&thread, NULL, wait_when_cancelled, arg);
	pthread_cancel(thread);
	atomic_store(&was_cancelled, true);
	pthread_join(thread, &value);
	sem_getvalue(&semaphore, &left);
	printf("%s, %d left\n",
	       value == PTHREAD_CANCELED ? "cancelled" : "not cancelled", left);
}

static void cancelled_before(void)
{
	cancel_before(NULL);
	cancel_before(&semaphore);
}

static sigjmp_buf out;

static void jump(int sig)
{
	siglongjmp(out, sig);
}

static void take_mutex_or_jump(void)
{
	if (!sigsetjmp(out, 1))
		pthread_mutex_lock(&mutex);
}

static void take_rwlock_or_jump(void)
{
	if (!sigsetjmp(out, 1))
		pthread_rwlock_rdlock(&rwlock);
}

static void take_semaphore_or_jump(void)
{
	if (!sigsetjmp(out, 1))
		sem_wait(&semaphore);
}

static void end_thread(int sig)
{
	(void)sig;
	pthread_exit(NULL);
}

static void interrupt(void (*take)(void), int sig)
{
	struct waiter *waiter = start_waiter(take, NULL);

	pthread_kill(waiter->thread, sig);
	pthread_join(waiter->thread, NULL);
	threads--;
}

/* A handler leaves each wait by longjmp, or ends the thread. */
static void jumped(void)
{
	signal(SIGUSR2, jump);
	signal(SIGALRM, end_thread);
	sem_init(&semaphore, 0, 0);
	pthread_mutex_lock(&mutex);
	pthread_rwlock_wrlock(&rwlock);
	interrupt(take_mutex_or_jump, SIGUSR2);
	interrupt(take_rwlock_or_jump, SIGUSR2);
	interrupt(take_semaphore_or_jump, SIGUSR2);
	interrupt(take_semaphore, SIGALRM);
	release_mutex();
	release_rwlock();
	release_semaphore();
	puts("out");
}

static atomic_int jumps;

static void jump_inside(int sig)
{
	sigjmp_buf inside;

	if (!sigsetjmp(inside, 1))
		siglongjmp(inside, sig);
	atomic_fetch_add(&jumps, 1);
}

static void take_mutex_on_two_stacks(void)
{
	static char memory[65536];
	const stack_t stack = { .ss_sp = memory, .ss_size = sizeof(memory) };

	sigaltstack(&stack, NULL);
	take_mutex();
}

/* A handler that jumps within itself leaves no wait. */
static void jumped_inside(void)
{
	struct sigaction action = { .sa_handler = jump_inside };
	struct waiter *waiter;

	sigaction(SIGUSR2, &action, NULL);
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGALRM, &action, NULL);
	pthread_mutex_lock(&mutex);
	waiter = start_waiter(take_mutex_on_two_stacks, release_mutex);
	pthread_kill(waiter->thread, SIGUSR2);
	pthread_kill(waiter->thread, SIGALRM);
	while (atomic_load(&jumps) < 2)
		;
	hold_and(release_mutex, "release_mutex");
}

/* The process ends; each of these waits for good. */
static void open_ended(void)
{
	pthread_mutex_lock(&mutex);
	sem_init(&semaphore, 0, 0);
	pthread_create(&never_ends, NULL, pause_for_ever, NULL);
	start_waiter(take_mutex, NULL);
	start_waiter(take_mutex, NULL);
	start_waiter(take_semaphore, NULL);
	start_waiter(join, NULL);
	puts("ends");
}

/* So does only the thread that holds it. */
static void *hold_for_good(void *arg)
{
	pthread_mutex_lock(&mutex);
	return arg;
}

static void orphaned(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, hold_for_good, NULL);
	pthread_join(thread, NULL);
	start_waiter(take_mutex, NULL);
	puts("ends");
}

/* Destroyed while it is held, in vain: it goes on as it was. */
static void destroyed_in_vain(void)
{
	pthread_mutex_lock(&mutex);
	start_waiter(take_mutex, release_mutex);
	if (pthread_mutex_destroy(&mutex) != EBUSY)
		exit(1);
	hold_and(release_mutex, "release_mutex");
}

/* Made anew again and again, with a waiter each time. */
static void reused(void)
{
	for (int i = 0; i < 5; i++) {
		pthread_mutex_init(&mutex, NULL);
		pthread_mutex_lock(&mutex);
		start_waiter(take_mutex, release_mutex);
		spin(HOLD_NS / 10);
		release_mutex();
		join_all();
		threads = 0;
		pthread_mutex_destroy(&mutex);
	}
	puts("five locks");
}

/* Made anew while it is waited for, which nobody should do. */
static void overwritten(void)
{
	pthread_mutex_lock(&mutex);
	start_waiter(take_mutex, NULL);
	pthread_mutex_init(&mutex, NULL);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	puts("ends");
}

static struct shared {
	pthread_mutex_t mutex;
	atomic_int tid[2];
	atomic_int held; /* so often */
} * shared;

RELEASE(shared, pthread_mutex_unlock(&shared->mutex))

static void hold_shared(int other)
{
	pthread_mutex_lock(&shared->mutex);
	atomic_fetch_add(&shared->held, 1);
	while (!sleeps(atomic_load(&shared->tid[other])))
		;
	spin(HOLD_NS);
	release_shared();
}

/* Each waits for the other one, who is watched, too. */
static void processes(void)
{
	pthread_mutexattr_t attr;
	pid_t child;
	int status;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->mutex, &attr);
	child = fork();
	if (!child) {
		atomic_store(&shared->tid[1], gettid());
		while (atomic_load(&shared->held) < 1)
			;
		hold_shared(0);
		exit(0);
	}
	atomic_store(&shared->tid[0], gettid());
	while (!atomic_load(&shared->tid[1]))
		;
	hold_shared(1);
	while (atomic_load(&shared->held) < 2)
		;
	pthread_mutex_lock(&shared->mutex);
	pthread_mutex_unlock(&shared->mutex);
	waitpid(child, &status, 0);
	printf("status %d\n", status);
}

static const struct lock_case cases[] = {
	{ "cancelled", cancelled },
	{ "cancelled_joins", cancelled_joins },
	{ "cancelled_before", cancelled_before },
	{ "jumped", jumped },
	{ "jumped_inside", jumped_inside },
	{ "open", open_ended },
	{ "orphaned", orphaned },
	{ "destroyed_in_vain", destroyed_in_vain },
	{ "reused", reused },
	{ "overwritten", overwritten },
	{ "processes", processes },
};

int main(int argc, char **argv)
{
	return run_case(cases, sizeof(cases) / sizeof(*cases),
			argc > 1 ? argv[1] : NULL);
}
