/*
 * What the shim itself does for one contention, without the system calls of the
 * lock that it stands beside: a waiter comes, the unlock is charged, two stacks
 * are taken, the waiter leaves. In processor time, over as many locks in turn
 * as each argument says; beyond the recording's room for locks each contention
 * gives one lock's record to another.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/locks/contention.h"
#include "bench_recording.h"

#define LOCK_BYTES     40
#define MIN_CONTENTION 500000u /* contentions to measure */

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

__attribute__((noinline)) static void contend(const void *address)
{
	const void *here = __builtin_return_address(0);
	struct lock lock = { .address = address, .kind = LOCK_MUTEX };
	struct contention caused;
	struct lock_wait wait;

	contention_wait_begin(&wait, lock, here);
	caused = contention_settle(address);
	if (caused.recording)
		contention_record(&caused, here);
	contention_wait_end(&wait, WAIT_ACQUIRED);
}

static double measure(size_t locks)
{
	/* Addresses only: no lock is ever taken. */
	char *first = calloc(locks, LOCK_BYTES);
	size_t rounds = MIN_CONTENTION / locks + 1;
	uint64_t begun_ns = 0;

	if (!first)
		bench_die("calloc");
	for (size_t round = 0; round <= rounds; round++) {
		if (round == 1) /* the one before was to warm up */
			begun_ns = cpu_ns();
		for (size_t i = 0; i < locks; i++)
			contend(first + i * LOCK_BYTES);
	}
	free(first);
	return (double)(cpu_ns() - begun_ns) / (double)(rounds * locks);
}

int main(int argc, char **argv)
{
	struct recording *rec = bench_record();

	rec->watches_locks = 1;
	rec->watches_waiters = 1;
	live_begin(rec);
	for (int i = 1; i < argc; i++)
		printf("our part of a contention, %s locks in turn: %.0f ns\n",
		       argv[i], measure(strtoull(argv[i], NULL, 10)));
	return 0;
}
