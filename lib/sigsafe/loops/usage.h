/*
 * What the kernel counts of the calling thread. Where it refuses, the numbers
 * stay 0. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOOPS_USAGE_H
#define SIGSAFE_LOOPS_USAGE_H

#include <stdint.h>

struct thread;

struct usage {
	uint64_t at_ns; /* 0: not read yet */
	uint64_t cpu_ns;
	uint64_t waits; /* between runs; each is one sleep or none */
	uint32_t voluntary;
	uint32_t involuntary;
	uint32_t minor_faults;
	uint32_t major_faults;
};

/* Switches and faults alone: one system call. */
struct usage usage_count(void);

/* Everything: two. */
struct usage usage_read(const struct thread *self);

#endif
