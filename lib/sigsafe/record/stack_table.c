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
#include "sigsafe/record/stack_table.h"

#include <string.h>

#include "base/atomic.h"
#include "base/hash.h"
#include "sigsafe/live.h"

/* Longer is only a chain that is damaged, and may be a ring. */
#define MAX_CHAIN 4096

static struct stack_record *record_at(struct recording *rec, uint32_t place)
{
	uint64_t *arena = live_records(rec, SECTION_STACKS);

	return (struct stack_record *)&arena[place];
}

/* Do so many words lie there? The place, or the depth, was in the file. */
static bool is_in_arena(uint32_t place, uint64_t words)
{
	return place && place + words <= live_capacity(SECTION_STACKS);
}

static uint32_t *head_of(struct recording *rec, uint64_t hash)
{
	uint32_t *index = live_records(rec, SECTION_STACK_INDEX);
	uint32_t capacity = live_capacity(SECTION_STACK_INDEX);

	return &index[hash_slot(hash, capacity)];
}

/* Where stack is in the chain from `first` to before `last`; 0: it is not. */
static uint32_t find(struct recording *rec, uint32_t first, uint32_t last,
		     struct stack_id stack)
{
	uint32_t place = first;

	for (int i = 0; i < MAX_CHAIN && place != last; i++) {
		const struct stack_record *record = record_at(rec, place);

		if (!is_in_arena(place, STACK_RECORD_WORDS(0)))
			return 0;

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
static uint32_t take(uint32_t *used, uint32_t words)
{
	uint32_t place;

	/* Relaxed: asked first only that the counter does not wrap. */
	if (!is_in_arena(load_relaxed(used), words))
		return 0;
	/* Pairs with give_back(): who had the room before is done with it. */
	place = add_seq_cst(used, words);
	return is_in_arena(place, words) ? place : 0;
}

struct stack_record *stack_table_take(struct recording *rec,
				      struct stack_id stack)
{
	uint32_t place = take(&rec->section[SECTION_STACKS].used,
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
	const uint64_t *arena = live_records(rec, SECTION_STACKS);

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

uint32_t stack_table_enter(struct recording *rec, struct stack_record *record,
			   struct stack_id stack)
{
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
	return stack_table_enter(rec, record, stack);
}

struct stack_frames stack_table_frames(const struct recording *rec,
				       uint32_t place)
{
	const uint64_t *arena = live_records(rec, SECTION_STACKS);
	const struct stack_record *stack = (const void *)(arena + place);
	struct stack_frames frames = { 0 };

	if (!is_in_arena(place, STACK_RECORD_WORDS(0)))
		return frames;
	frames.depth = load_relaxed(&stack->depth);
	frames.frame = stack->frame;
	if (frames.depth > MAX_DEPTH ||
	    !is_in_arena(place, STACK_RECORD_WORDS(frames.depth)))
		frames.depth = 0;
	return frames;
}
