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

/* One more event of this sample that cost ns. */
void sample_add(struct recording *rec, struct sample sample, uint64_t ns);

/* The same event went on for ns more. */
void sample_extend(struct recording *rec, struct sample sample, uint64_t ns);

/* An event whose stack was not taken: its time still counts. */
void sample_discard(struct recording *rec, enum sample_kind kind, uint64_t ns);

#endif
