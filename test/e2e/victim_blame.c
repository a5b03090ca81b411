/*
 * An event loop with one function to blame.
 *
 * usage: victim_blame WHAT
 *   leaf     parse_config() computes for 62 ms, by itself
 *   wander   scan_keys() takes 120 ms, in turns in three functions
 *   prelude  prepare() sleeps for 15 ms, then crunch() computes much
 *            longer, without a look at the clock
 *   thin     answer() takes up to 12 ms by itself, the work it calls 40 ms
 *
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "victim.h"

/* So long in a row that a clock read between is hardly ever hit by a tick. */
#define STEPS 200000

static volatile unsigned long sum;

/* by: so that the compiler does not make one function of two. */
static inline __attribute__((always_inline)) void compute(uint64_t ns,
							  unsigned long by)
{
	uint64_t begun_ns = now_ns();

	do {
		for (int i = 0; i < STEPS; i++)
			sum = sum * by + 7;
	} while (now_ns() - begun_ns < ns);
}

static __attribute__((noinline, noclone)) void parse_config(void)
{
	compute(62 * NS_PER_MS, 3);
}

static __attribute__((noinline, noclone)) void hash_key(uint64_t ns)
{
	compute(ns, 5);
}

static __attribute__((noinline, noclone)) void compare_key(uint64_t ns)
{
	compute(ns, 7);
}

static __attribute__((noinline, noclone)) void skip_key(uint64_t ns)
{
	compute(ns, 9);
}

static __attribute__((noinline, noclone)) void scan_keys(void)
{
	uint64_t begun_ns = now_ns();

	/* Never the same twice, or ticks might keep in step with it. */
	for (unsigned i = 0; now_ns() - begun_ns < 120 * NS_PER_MS; i++) {
		hash_key((1 + i * 2 % 5) * NS_PER_MS);
		compare_key((1 + i * 3 % 5) * NS_PER_MS);
		skip_key((1 + i * 4 % 5) * NS_PER_MS);
	}
}

static __attribute__((noinline, noclone)) void do_work(void)
{
	compute(40 * NS_PER_MS, 11);
}

/* The first tick finds now this function, now the work. */
static __attribute__((noinline, noclone)) void answer(int turn)
{
	compute((uint64_t)(turn % 6 * 2) * NS_PER_MS, 13);
	do_work();
	compute((uint64_t)(turn % 5) * NS_PER_MS, 13);
}

static __attribute__((noinline, noclone)) void prepare(void)
{
	usleep(15000);
	__asm__ volatile("");
}

static __attribute__((noinline, noclone)) void crunch(void)
{
	for (int i = 0; i < 2000 * STEPS; i++)
		sum = sum * 15 + 7;
}

static __attribute__((noinline, noclone)) void serve(void)
{
	prepare();
	crunch();
	__asm__ volatile("");
}

static __attribute__((noinline, noclone)) void handle(const char *what,
						      int turn)
{
	if (!strcmp(what, "thin"))
		answer(turn);
	else if (!strcmp(what, "prelude"))
		serve();
	else if (!strcmp(what, "leaf"))
		parse_config();
	else
		scan_keys();
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	for (int turn = 0; turn < 9; turn++) {
		poll(NULL, 0, 1);
		if (turn % 3 == 1)
			handle(argv[1], turn);
	}
	return 0;
}
