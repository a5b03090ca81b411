/*
 * The sample table: what each stack has cost, by kind of profile and lock.
 * Lock-free. Signal-safe.
 *
 * While there is much room each stack has a sample for each lock. When there is
 * little, new ones are not told apart by lock any more: they are of the record
 * of all others of its kind. So one stack and a million locks leave room for
 * the next stack.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_RECORD_SAMPLES_H
#define SIGSAFE_RECORD_SAMPLES_H

#include "base/format.h"

struct sample {
	enum sample_kind kind;
	/* Index in SECTION_LOCKS, pinned; of stalls a CAUSE_WORD(). */
	uint32_t lock;
	uint32_t stack; /* from stack_capture(); 0: none, so discarded */
};

/*
 * So many more events of this sample that cost ns together; 0 events: the last
 * one went on. Without a stack the time is counted as discarded.
 */
void sample_add(struct recording *rec, struct sample sample, uint64_t ns,
		uint64_t events);

/* The same of several events at once, of which the largest cost max_ns. */
void sample_add_up(struct recording *rec, struct sample sample, uint64_t ns,
		   uint64_t events, uint64_t max_ns);

/* To one record, which is the caller's own or stays what it is. */
void sample_add_to(struct sample_record *record, uint64_t ns, uint64_t events,
		   uint64_t max_ns);

/*
 * A place for a sample that nobody else adds to, or NULL: no room nearby. Its
 * numbers are 0. Pairs with sample_give_place_back().
 */
struct sample_record *sample_take_place(struct recording *rec, uint64_t key);
void sample_give_place_back(struct recording *rec,
			    struct sample_record *record);

/*
 * Adds the samples of one lock to those of another one, which is LOCK_OTHERS.
 * Nobody else uses `from` meanwhile.
 */
void samples_move(struct recording *rec, struct lock_record *from,
		  struct lock_record *to);

#endif
