/*
 * A thread whose stack ends in an unlock that others wait for, wherever in
 * there, and whose handler of faults jumps out, as libraries do that recover
 * from that. Then it lets go of the lock on a stack with little room.
 *
 * usage: victim_overflow keeps|loses
 * Whether the jump puts the mask back: if it does not, the handler is entered
 * with the mask that it interrupts.
 * prints "done", or how often signals were blocked after the jump
 *
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "victim.h"
#include "victim_coroutine.h"
#include "victim_rival.h"

#define THREAD_BYTES	(20u << 10)
#define COROUTINE_BYTES (12u << 10)

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static atomic_bool is_over;
static sigjmp_buf landing;
static bool keeps_mask;
static unsigned left_blocked;

static void jump_out(int sig)
{
	(void)sig;
	siglongjmp(landing, 1);
}

static void let_go_contended(void)
{
	pthread_mutex_lock(&lock);
	await_waiter(&lock);
	pthread_mutex_unlock(&lock);
}

static int go_deeper(size_t bytes)
{
	volatile char *here = __builtin_alloca(bytes);

	here[0] = 1;
	let_go_contended();
	return here[0] ? go_deeper(bytes) + here[0] : 0;
}

static void note_mask(void)
{
	sigset_t mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	if (!sigismember(&mask, SIGTERM))
		return;
	left_blocked++;
	sigemptyset(&mask);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/* By as many bytes a level as make it end anywhere, and there several times. */
static void overflow(void)
{
	static volatile unsigned round;

	for (round = 0; round < 160; round++) {
		if (!sigsetjmp(landing, keeps_mask))
			go_deeper(512 + round % 40 * 16);
		note_mask();
		/* If it was locked there. */
		pthread_mutex_unlock(&lock);
	}
}

static ucontext_t home, coroutine;

static __attribute__((noinline)) void in_coroutine(void)
{
	for (int i = 0; i < 10; i++)
		let_go_contended();
	KEEP_FRAME();
}

static void *work(void *stack)
{
	static char room[16384];
	const stack_t own = { .ss_sp = room, .ss_size = sizeof(room) };

	sigaltstack(&own, NULL);
	overflow();
	make_coroutine(&coroutine, stack, COROUTINE_BYTES, in_coroutine, &home);
	swapcontext(&home, &coroutine);
	return NULL;
}

int main(int argc, char **argv)
{
	static char stack[COROUTINE_BYTES] __attribute__((aligned(16)));
	struct sigaction act = { .sa_handler = jump_out,
				 .sa_flags = SA_ONSTACK };
	struct rival wants = { &lock, &is_over };
	pthread_t waiter, thread;
	pthread_attr_t attr;

	keeps_mask = argc > 1 && !strcmp(argv[1], "keeps");
	if (!keeps_mask)
		act.sa_flags |= SA_NODEFER;
	sigaction(SIGSEGV, &act, NULL);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, THREAD_BYTES);
	pthread_create(&waiter, NULL, want_lock, &wants);
	pthread_create(&thread, &attr, work, stack);
	pthread_join(thread, NULL);
	atomic_store(&is_over, true);
	pthread_join(waiter, NULL);
	if (left_blocked)
		printf("signals blocked %u times\n", left_blocked);
	else
		puts("done");
	return 0;
}
