/*
 * A program that is no loop is sent a signal where its stack, a coroutine's of
 * one page, has no room left for the frame of one.
 *
 * usage: victim_little_left NUMBER [thread]
 * thread: in another than the first
 *
 * SPDX-License-Identifier: MIT
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "victim.h"

#define PAGE_BYTES ((size_t)4096)

static ucontext_t home, coroutine;

static __attribute__((noinline)) void in_coroutine(int sig)
{
	volatile char used[2200];

	used[0] = 1;
	raise(sig);
	used[1] = used[0];
}

static void *run(void *sig)
{
	char *pages = mmap(NULL, 2 * PAGE_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || mprotect(pages, PAGE_BYTES, PROT_NONE))
		exit(3);
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = pages + PAGE_BYTES;
	coroutine.uc_stack.ss_size = PAGE_BYTES;
	coroutine.uc_link = &home;
	makecontext(&coroutine, (void (*)(void))in_coroutine, 1,
		    (int)(intptr_t)sig);
	swapcontext(&home, &coroutine);
	return NULL;
}

int main(int argc, char **argv)
{
	void *sig = (void *)(intptr_t)atoi(argv[1]);
	pthread_t thread;

	if (argc < 3) {
		run(sig);
		return 0;
	}
	pthread_create(&thread, NULL, run, sig);
	pthread_join(thread, NULL);
	return 0;
}
