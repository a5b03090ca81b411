/*
 * A thread that loses frames of its own stack, to which it does not return, and
 * goes on below them: it makes another one wait for its lock.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef E2E_VICTIM_LOST_FRAMES_H
#define E2E_VICTIM_LOST_FRAMES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "victim.h"
#include "victim_rival.h"

#define PAGE_BYTES  ((size_t)4096)
#define STACK_BYTES ((size_t)1 << 20)
#define KEPT_BYTES  ((size_t)64 << 10) /* at its end, where libc has its own */
#define FRAMES	    30

static char *stack;
static struct {
	char *start;
	size_t bytes;
} lost;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool is_over;

static __attribute__((noinline)) void hold(void)
{
	pthread_mutex_lock(&lock);
	await_waiter(&lock);
	pthread_mutex_unlock(&lock);
	KEEP_FRAME();
}

/* The pages of what called the caller, but for those that libc needs. */
static void note_what_is_lost(char *frame)
{
	char *page = frame + PAGE_BYTES -
		     ((uintptr_t)frame & (PAGE_BYTES - 1)) + PAGE_BYTES;

	lost.start = page;
	lost.bytes = (size_t)(stack + STACK_BYTES - KEPT_BYTES - page);
}

/* Where it is: to what is above it must not return. */
static _Noreturn void end_here(void)
{
	atomic_store(&is_over, true);
	for (;;)
		pause();
}

/* Calls bottom(), below so many frames. */
static __attribute__((noinline)) int go_down(int frames, void (*bottom)(void))
{
	volatile char used[3000];

	used[0] = (char)frames;
	if (!frames) {
		bottom();
		return 0;
	}
	return go_down(frames - 1, bottom) + used[0];
}

/* The same, where none of what is lost is libc's. */
static __attribute__((noinline)) void go_far_down(void (*bottom)(void))
{
	char kept[KEPT_BYTES + (KEPT_BYTES >> 2)];

	__asm__ volatile("" ::"r"(kept) : "memory");
	go_down(FRAMES, bottom);
	KEEP_FRAME();
}

/* work() on the stack that loses frames, with somebody who wants the lock. */
static void run_to_its_end(pthread_attr_t *attr, void *(*work)(void *))
{
	struct rival wants = { &lock, &is_over };
	pthread_t worker, rival;

	stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack == MAP_FAILED)
		exit(3);
	pthread_attr_setstack(attr, stack, STACK_BYTES);
	if (pthread_create(&rival, NULL, want_lock, &wants) ||
	    pthread_create(&worker, attr, work, NULL))
		exit(4);
	pthread_join(rival, NULL);
	puts("done");
}

#endif
