/*
 * What victims share: their own clock, and a look at whether a thread sleeps.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef E2E_VICTIM_H
#define E2E_VICTIM_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define NS_PER_S  UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)

static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* In front of a function's end: no call is its last, so its frame is there. */
#define KEEP_FRAME() __asm__ volatile("")

/* Computes for ns. */
static __attribute__((noinline, noclone, unused)) void spin(uint64_t ns)
{
	uint64_t begun_ns = now_ns();

	while (now_ns() - begun_ns < ns)
		;
}

/* libc writes 2 into a mutex when somebody is about to sleep on it. */
static inline void await_waiter(const pthread_mutex_t *lock)
{
	const volatile int *word = &lock->__data.__lock;

	while (*word != 2)
		sched_yield();
}

/* Does the thread, of any process, sleep in a system call? */
static inline bool sleeps(int tid)
{
	char path[64], stat[256] = "";
	const char *state;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", tid, tid);
	file = fopen(path, "r");
	if (!file)
		return false;
	if (!fgets(stat, sizeof(stat), file))
		stat[0] = '\0';
	fclose(file);
	state = strrchr(stat, ')');
	return state && state[1] == ' ' && state[2] == 'S';
}

#endif
