/*
 * Two coroutines on one thread's own stack: the second is started from deeper
 * in it, below an array that the first one uses from then on, with little of it
 * left. There it unlocks a mutex that others want; the second one's frame,
 * which lies below, must keep what it had.
 *
 * usage: victim_carved [waits]
 * waits: there it waits for events first, and becomes a loop
 * prints "done", or how many words were changed
 *
 * SPDX-License-Identifier: MIT
 */
#include <alloca.h>
#include <poll.h>
#include <setjmp.h>

#include "victim.h"
#include "victim_rival.h"

#define LEFT_BYTES  1300
#define ARRAY_BYTES (16 << 10)
#define WORDS	    64
#define UNLOCKS	    2000
#define HOLD	    20000
#define MARK	    0x5a5a0000u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool is_over;
static jmp_buf home, first, second;
static char *lowest; /* of the second one's frame */
static int changed;
static bool waits;

__attribute__((noinline)) static void run_second(void)
{
	volatile unsigned kept[WORDS];

	for (unsigned i = 0; i < WORDS; i++)
		kept[i] = MARK + i;
	lowest = (char *)(kept + WORDS);
	if (!_setjmp(second))
		_longjmp(first, 1);
	for (unsigned i = 0; i < WORDS; i++)
		changed += kept[i] != MARK + i;
	_longjmp(home, 1);
}

__attribute__((noinline)) static void start_second(void)
{
	char array[ARRAY_BYTES];

	__asm__ volatile("" : : "r"(array) : "memory");
	run_second();
	__asm__ volatile("" : : "r"(array) : "memory");
}

__attribute__((noinline)) static void unlock_low(void)
{
	char *here = __builtin_frame_address(0);
	volatile char *used =
		alloca((size_t)(here - lowest - LEFT_BYTES - 128));

	used[0] = 0;
	for (int i = 0; waits && i < 10; i++)
		poll(NULL, 0, 1);
	for (int i = 0; i < UNLOCKS; i++) {
		pthread_mutex_lock(&lock);
		for (volatile int hold = 0; hold < HOLD; hold++)
			;
		pthread_mutex_unlock(&lock);
	}
	KEEP_FRAME();
}

__attribute__((noinline)) static void run_first(void)
{
	if (!_setjmp(first))
		start_second();
	unlock_low();
	_longjmp(second, 1);
}

int main(int argc, char **argv)
{
	static struct rival rival = { &lock, &is_over };
	pthread_t other;

	waits = argc > 1 && strcmp(argv[1], "waits") == 0;
	if (pthread_create(&other, NULL, want_lock, &rival))
		return 3;
	if (!_setjmp(home))
		run_first();
	atomic_store(&is_over, true);
	pthread_join(other, NULL);
	if (changed)
		printf("%d words changed\n", changed);
	else
		puts("done");
	return 0;
}
