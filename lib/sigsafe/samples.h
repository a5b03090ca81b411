/*
 * The sample table: what each stack has cost, by kind of profile and lock.
 * Lock-free. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_SAMPLES_H
#define SIGSAFE_SAMPLES_H

#include "base/format.h"

struct sample {
	enum sample_kind kind;
	uint32_t lock;	/* index in SECTION_LOCKS; 0 for stalls */
	uint32_t stack; /* from stack_capture(); 0: none, so discarded */
};

/*
 * So many more events of this sample that cost ns together; 0 events: the last
 * one went on. Without a stack the time is counted as discarded.
 */
void sample_add(struct recording *rec, struct sample sample, uint64_t ns,
		uint64_t events);

#endif
