/*
 * A recording of its own, for benchmarks that measure parts of the shim.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_BENCH_RECORDING_H
#define BENCH_BENCH_RECORDING_H

#include <sys/mman.h>

#include "bench.h"
#include "setup/layout.h"
#include "setup/unwinder.h"
#include "sigsafe/live.h"

#define RECORDING_BYTES (8u << 20)

static inline struct recording *bench_record(void)
{
	struct recording *rec =
		mmap(NULL, RECORDING_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if ((void *)rec == MAP_FAILED)
		bench_die("mmap");
	layout_sections(rec, RECORDING_BYTES);
	live_begin(rec);
	unwinder_prepare(environ, MAX_DEPTH);
	if (unwinder_start(UNWIND_AUTO, MAX_DEPTH))
		bench_die("unwinder_start");
	return rec;
}

#endif
