/*
 * The stack table: each different stack once, in SECTION_STACKS, found by hash
 * from SECTION_STACK_INDEX. Lock-free; a stack, once in, stays. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_RECORD_STACK_TABLE_H
#define SIGSAFE_RECORD_STACK_TABLE_H

#include "base/format.h"
#include "base/hash.h"

/*
 * What tells stacks apart. Two that agree in it are taken for one: by chance,
 * that will happen to one pair in 2^64.
 */
struct stack_id {
	uint64_t hash;	/* of the frames, leaf first, by stack_hash_add() from 0
			 */
	uint32_t depth; /* 1 to MAX_DEPTH */
};

static inline uint64_t stack_hash_add(uint64_t hash, uint64_t frame)
{
	hash = hash_mix(hash ^ frame);
	return hash ^ hash >> 32;
}

/* The place of the stack in SECTION_STACKS, in words; 0: it is not in. */
uint32_t stack_table_find(struct recording *rec, struct stack_id stack);

/* Room for a stack, whose frames are to be filled in; NULL: full (counted). */
struct stack_record *stack_table_take(struct recording *rec,
				      struct stack_id stack);

/*
 * Enters what stack_table_take() has returned. Returns its place, or the place
 * of the same stack, if another thread has entered that meanwhile.
 */
uint32_t stack_table_enter(struct recording *rec, struct stack_record *record,
			   struct stack_id stack);

/* Or gives it back. */
void stack_table_give_back(struct recording *rec, struct stack_record *record);

/* All at once: the place of these frames, entered if need be; 0: full. */
uint32_t stack_table_add(struct recording *rec, const uint64_t *frame,
			 uint32_t depth);

/* The frames of a stack, as many as can be read; depth 0: none. */
struct stack_frames {
	const uint64_t *frame;
	uint32_t depth; /* 0 to MAX_DEPTH */
};

/* The frames of the stack at this place, or none: place is 0, or damaged. */
struct stack_frames stack_table_frames(const struct recording *rec,
				       uint32_t place);

#endif
