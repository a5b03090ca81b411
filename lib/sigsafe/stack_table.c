/*
 * The stack table: chains of records in an arena.
 *
 * A record is whole before its chain's head points at it, and never changes
 * after that. Two threads that add the same stack at once race for the head;
 * the one that loses finds the other's record and gives its own room back, or
 * lets it lie if more was taken behind it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/stack_table.h"

#include <string.h>

#include "base/atomic.h"
#include "base/hash.h"

/* A stack to be added. */
struct stack {
	const uint64_t *frame;
	uint32_t depth;
	uint64_t hash;
};

static uint64_t hash_of(const uint64_t *frame, uint32_t depth)
{
	uint64_t hash = depth;

	for (uint32_t i = 0; i < depth; i++) {
		hash = hash_mix(hash ^ frame[i]);
		hash ^= hash >> 32;
	}
	return hash;
}

static struct stack_record *record_at(struct recording *rec, uint32_t place)
{
	uint64_t *arena = section_records(rec, SECTION_STACKS);

	return (struct stack_record *)&arena[place];
}

static uint32_t *head_of(struct recording *rec, uint64_t hash)
{
	uint32_t *index = section_records(rec, SECTION_STACK_INDEX);
	uint32_t capacity = rec->section[SECTION_STACK_INDEX].capacity;

	return &index[hash_slot(hash, capacity)];
}

/* Where stack is in the chain from `first` to before `last`; 0: it is not. */
static uint32_t find(struct recording *rec, uint32_t first, uint32_t last,
		     const struct stack *stack)
{
	for (uint32_t place = first; place != last;) {
		const struct stack_record *record = record_at(rec, place);

		if (record->hash == stack->hash &&
		    record->depth == stack->depth &&
		    memcmp(record->frame, stack->frame,
			   stack->depth * sizeof(*stack->frame)) == 0)
			return place;
		place = record->next;
	}
	return 0;
}

/* Room in the arena, or 0: it is full. */
static uint32_t take(struct section *arena, uint32_t words)
{
	uint32_t place;

	/* Relaxed: asked first only that the counter does not wrap. */
	if ((uint64_t)load_relaxed(&arena->used) + words > arena->capacity)
		return 0;
	/* Pairs with give_back(): who had the room before is done with it. */
	place = add_seq_cst(&arena->used, words);
	return (uint64_t)place + words <= arena->capacity ? place : 0;
}

/* Nobody has seen it: it is the last one's, or it lies idle. */
static void give_back(struct section *arena, uint32_t place, uint32_t words)
{
	uint32_t end = place + words;

	/* Pairs with take(). */
	cas_acq_rel(&arena->used, &end, place);
}

static uint32_t publish(struct recording *rec, const struct stack *stack,
			uint32_t place, uint32_t *head, uint32_t seen)
{
	struct stack_record *record = record_at(rec, place);
	uint32_t searched = seen;

	record->depth = stack->depth;
	record->hash = stack->hash;
	memcpy(record->frame, stack->frame,
	       stack->depth * sizeof(*stack->frame));
	record->next = seen;
	/* Pairs with the load of the head in stack_table_add(). */
	while (!cas_acq_rel(head, &seen, place)) {
		uint32_t known = find(rec, seen, searched, stack);

		if (known)
			return known;
		record->next = searched = seen;
	}
	return place;
}

uint32_t stack_table_add(struct recording *rec, const uint64_t *frame,
			 uint32_t depth)
{
	struct section *arena = &rec->section[SECTION_STACKS];
	uint32_t words = (uint32_t)STACK_RECORD_WORDS(depth);
	struct stack stack = { frame, depth, hash_of(frame, depth) };
	uint32_t *head = head_of(rec, stack.hash);
	/* Acquire pairs with publish(): the records behind it are whole. */
	uint32_t seen = load_acquire(head);
	uint32_t known = find(rec, seen, 0, &stack);
	uint32_t place;

	if (known)
		return known;
	place = take(arena, words);
	if (!place) {
		add_relaxed(&rec->lost[LOST_STACK], 1);
		return 0;
	}
	known = publish(rec, &stack, place, head, seen);
	if (known != place)
		give_back(arena, place, words);
	return known;
}
