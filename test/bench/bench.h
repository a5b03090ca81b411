/*
 * What every benchmark shares: a clock, and the one line it prints, the
 * nanoseconds one operation took.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define RUN_NS 300000000u /* how long a benchmark measures */

static inline uint64_t bench_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline void bench_print(uint64_t begun_ns, uint64_t operations)
{
	printf("%.3f\n",
	       (double)(bench_now_ns() - begun_ns) / (double)operations);
}

static inline _Noreturn void bench_die(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

#endif
