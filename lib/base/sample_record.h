/*
 * The samples of a recording: the profiles, and what a line of each is made of.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_SAMPLE_RECORD_H
#define BASE_SAMPLE_RECORD_H

#include "base/units.h"

/*
 * The kinds of profile, one text each. Semaphores have no holder, and waiting
 * for one is often idleness: so they are kept apart, charged to who posts.
 */
#define SAMPLE_KIND_NAMES(X)                                                   \
	X(SAMPLE_MUTEX, "mutex")                                               \
	X(SAMPLE_WAIT, "wait")                                                 \
	X(SAMPLE_STALL, "stall")                                               \
	X(SAMPLE_SEM, "sem")

enum sample_kind {
#define X(name, text) name,
	SAMPLE_KIND_NAMES(X)
#undef X
	SAMPLE_KINDS
};

/*
 * One line of a profile. key: bits 61 to 63 kind + 1, bits 32 to 60 lock (its
 * index in SECTION_LOCKS; of stalls their cause, base/cause.h), bits 0 to 31
 * stack (offset in words in SECTION_STACKS). SAMPLE_GONE: added to another
 * sample; can be used again. SAMPLE_RUNNING: a kind for samples of stalls whose
 * run has not come back yet, each of one thread.
 */
#define SAMPLE_KEY(kind, lock, stack)                                          \
	((uint64_t)((kind) + 1) << 61 | (uint64_t)(lock) << 32 | (stack))
#define SAMPLE_KIND(key)  ((enum sample_kind)((key) >> 61) - 1)
#define SAMPLE_LOCK(key)  ((uint32_t)((key) >> 32 & 0x1fffffff))
#define SAMPLE_STACK(key) ((uint32_t)(key))
#define SAMPLE_GONE	  UINT64_C(1)
#define SAMPLE_RUNNING	  SAMPLE_KINDS

/* The profile that a sample is of. */
static inline enum sample_kind sample_profile(uint64_t key)
{
	enum sample_kind kind = SAMPLE_KIND(key);

	return kind == SAMPLE_RUNNING ? SAMPLE_STALL : kind;
}

struct sample_record {
	uint64_t key; /* the validity word */
	uint64_t total_ns;
	uint64_t count;
	uint64_t max_ns; /* largest single contribution */
	/* Sample of the same lock, or run: its index + 1, or 0 */
	uint32_t next;
	uint32_t thread; /* of SAMPLE_RUNNING: index in SECTION_THREADS */
};

#endif
