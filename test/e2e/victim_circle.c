/*
 * Two threads that wait for each other's lock, for ever.
 *
 * usage: victim_circle
 *
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t account_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t ledger_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both_hold_one;

static __attribute__((noinline, noclone)) void take(pthread_mutex_t *lock)
{
	pthread_mutex_lock(lock);
	__asm__ volatile("");
}

static void *debit(void *unused)
{
	pthread_setname_np(pthread_self(), "debit");
	take(&account_lock);
	pthread_barrier_wait(&both_hold_one);
	take(&ledger_lock);
	return unused;
}

static void *credit(void *unused)
{
	pthread_setname_np(pthread_self(), "credit");
	take(&ledger_lock);
	pthread_barrier_wait(&both_hold_one);
	take(&account_lock);
	return unused;
}

int main(void)
{
	pthread_t first, second;

	pthread_barrier_init(&both_hold_one, NULL, 2);
	pthread_create(&first, NULL, debit, NULL);
	pthread_create(&second, NULL, credit, NULL);
	pthread_join(first, NULL);
	return 0;
}
