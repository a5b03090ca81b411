/*
 * Answers, printed to be compared with the same under the shim: what a call
 * returned, and errno where it changed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef E2E_VICTIM_ANSWERS_H
#define E2E_VICTIM_ANSWERS_H

#include <errno.h>

#include "victim_lock.h"

#define UNTOUCHED 12345

static inline void show(const char *call, long answer)
{
	int changed = errno;

	printf("%s: %ld", call, answer);
	if (changed != UNTOUCHED)
		printf(", errno %d", changed);
	putchar('\n');
}

#define SHOW(call) (errno = UNTOUCHED, show(#call, (long)(call)))

static const struct timespec past = { 1, 0 };
static const struct timespec odd
	__attribute__((unused)) = { 1, (long)NS_PER_S };
static const struct timespec negative __attribute__((unused)) = { 1, -1 };

/* Does as another thread, meanwhile. */
static inline void *call_function(void *function)
{
	((void (*)(void))function)();
	return NULL;
}

static inline void elsewhere(void (*function)(void))
{
	pthread_t thread;

	pthread_create(&thread, NULL, call_function, (void *)function);
	pthread_join(thread, NULL);
}

#endif
