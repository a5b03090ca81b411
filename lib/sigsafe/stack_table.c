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
		     struct stack_id stack)
{
	for (uint32_t place = first; place != last;) {
		const struct stack_record *record = record_at(rec, place);

		if (record->hash == stack.hash && record->depth == stack.depth)
			return place;
		place = record->next;
	}
	return 0;
}

uint32_t stack_table_find(struct recording *rec, struct stack_id stack)
{
	/* Acquire pairs with stack_table_enter(): what is behind is whole. */
	return find(rec, load_acquire(head_of(rec, stack.hash)), 0, stack);
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

struct stack_record *stack_table_take(struct recording *rec,
				      struct stack_id stack)
{
	uint32_t place = take(&rec->section[SECTION_STACKS],
			      (uint32_t)STACK_RECORD_WORDS(stack.depth));
	struct stack_record *record;

	if (!place) {
		add_relaxed(&rec->lost[LOST_STACK], 1);
		return NULL;
	}
	record = record_at(rec, place);
	record->hash = stack.hash;
	record->depth = stack.depth;
	return record;
}

static uint32_t place_of(struct recording *rec,
			 const struct stack_record *record)
{
	const uint64_t *arena = section_records(rec, SECTION_STACKS);

	return (uint32_t)((const uint64_t *)record - arena);
}

void stack_table_give_back(struct recording *rec, struct stack_record *record)
{
	uint32_t place = place_of(rec, record);
	uint32_t end = place + (uint32_t)STACK_RECORD_WORDS(record->depth);

	/*
	 * Nobody has seen it: it is the last one's, or it lies idle. Pairs with
	 * take().
	 */
	cas_acq_rel(&rec->section[SECTION_STACKS].used, &end, place);
}

uint32_t stack_table_enter(struct recording *rec, struct stack_record *record)
{
	struct stack_id stack = { record->hash, record->depth };
	uint32_t *head = head_of(rec, stack.hash);
	uint32_t place = place_of(rec, record);
	/* Acquire pairs with the exchange: the records behind are whole. */
	uint32_t seen = load_acquire(head);
	uint32_t searched = 0;

	do {
		uint32_t known = find(rec, seen, searched, stack);

		if (known) {
			stack_table_give_back(rec, record);
			return known;
		}
		record->next = searched = seen;
		/* Pairs with the loads of the head. */
	} while (!cas_acq_rel(head, &seen, place));
	return place;
}

uint32_t stack_table_add(struct recording *rec, const uint64_t *frame,
			 uint32_t depth)
{
	struct stack_id stack = { .depth = depth };
	struct stack_record *record;
	uint32_t known;

	for (uint32_t i = 0; i < depth; i++)
		stack.hash = stack_hash_add(stack.hash, frame[i]);
	known = stack_table_find(rec, stack);
	if (known)
		return known;
	record = stack_table_take(rec, stack);
	if (!record)
		return 0;
	memcpy(record->frame, frame, depth * sizeof(*frame));
	return stack_table_enter(rec, record);
}
