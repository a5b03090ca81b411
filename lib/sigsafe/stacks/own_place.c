/*
 * Places on the thread's own stack.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/stacks/own_place.h"

#include "base/atomic.h"
#include "base/hash.h"
#include "sigsafe/live.h"
#include "sigsafe/stacks/own_stack.h"
#include "sigsafe/walk/walk_cursor.h"

/* A set is a line of the cache: that is what one place costs to look up. */
#define IN_SET 4u
#define SETS   (OWN_PLACES / IN_SET)

/* The lowest part of a thread's own stack: for what is done, and more. */
#define LOW_BYTES (16u * WORK_BYTES)

/* Deeper stacks are not followed to their end. */
#define MOST_FRAMES 4096u

/* Return addresses above the place that are compared. */
#define COMPARED 2u

/*
 * check: in its upper half a hash of these, in the lower one how many words
 * above sp each of them lies, 16 bits each. 0: it could not be shown.
 *
 * Where other callers come to the same call at the same address, those that
 * came later have words of their own, which their check is part of.
 */
struct known_place {
	uint64_t word; /* 0: none */
	uint64_t check;
};

#define OFFSET_BITS 16
#define MOST_WORDS  ((1u << OFFSET_BITS) - 1)

/*
 * Relaxed, as what two threads enter at once, or a reader takes from two
 * entries, fits no stack: its hash is of other words.
 */
static struct known_place known[SETS][IN_SET] __attribute__((aligned(64)));

static uint64_t finish(uint64_t hash)
{
	return (hash ^ hash >> 32) | 1;
}

static uint64_t word_of(const struct own_place *place)
{
	uint64_t word = hash_mix(place->call.pc);

	word = hash_add(word, place->call.sp);
	/* Once that is known better all is to be shown anew. */
	return finish(hash_add(word, own_stack_gap()));
}

static uint64_t word_of_later(uint64_t word, uint64_t check)
{
	return finish(hash_add(hash_mix(word), check));
}

static struct known_place *set_of(uint64_t word)
{
	return known[hash_slot(word, SETS)];
}

/* As it would be entered: the offsets, and the hash of what lies there now. */
static uint64_t check_of(uintptr_t sp, uint32_t offsets)
{
	uint64_t hash = 0;

	for (unsigned i = 0; i < COMPARED; i++) {
		uint32_t words = offsets >> i * OFFSET_BITS & MOST_WORDS;

		hash ^= machine_read(sp + words * ROW_WORD);
		hash = hash_mix(hash ^ hash >> 32);
	}
	return (hash >> 32 | 1) << 32 | offsets;
}

/* At any other place nothing is known, nor asked. */
static inline bool may_be_known(const struct own_place *place)
{
	return likely(!thread_self.jumps) &&
	       own_stack_room(place->call.sp) >= LOW_BYTES;
}

static bool is_entered(uint64_t word, uint64_t check)
{
	const struct known_place *set = set_of(word);

	for (unsigned i = 0; i < IN_SET; i++)
		if (load_relaxed(&set[i].word) == word &&
		    load_relaxed(&set[i].check) == check)
			return true;
	return false;
}

bool own_place_is_known(const struct own_place *place)
{
	struct known_place *set;
	uint64_t word, check, now;

	if (unlikely(!may_be_known(place)))
		return false;
	word = word_of(place);
	set = set_of(word);
	for (unsigned i = 0; i < IN_SET; i++) {
		if (load_relaxed(&set[i].word) != word)
			continue;
		check = load_relaxed(&set[i].check);
		if (unlikely(!check))
			continue;
		now = check_of(place->call.sp, (uint32_t)check);
		if (likely(now == check) ||
		    is_entered(word_of_later(word, now), now))
			return true;
	}
	return false;
}

/* That it can't be shown is found once for all callers. */
static bool was_tried(uint64_t word)
{
	return is_entered(word, 0);
}

/* Is another one with its callers' addresses as far above the first there? */
static bool is_later(uint64_t word, uint64_t check)
{
	const struct known_place *set = set_of(word);
	uint64_t first;

	for (unsigned i = 0; check && i < IN_SET; i++) {
		first = load_relaxed(&set[i].check);
		if (load_relaxed(&set[i].word) == word && first != check &&
		    (uint32_t)first == (uint32_t)check)
			return true;
	}
	return false;
}

/* The one that was entered last is the first of its set. */
static void enter(uint64_t word, uint64_t check)
{
	struct known_place *set = set_of(word);
	unsigned i = IN_SET - 1;

	for (; i > 0; i--) {
		store_relaxed(&set[i].check, load_relaxed(&set[i - 1].check));
		store_relaxed(&set[i].word, load_relaxed(&set[i - 1].word));
	}
	store_relaxed(&set[0].check, check);
	store_relaxed(&set[0].word, word);
}

/* The way up from a place. */
struct ascent {
	const struct own_place *place;
	struct walk walk;
	struct cursor at;
	uintptr_t called; /* stack pointer of the frame before this one */
	unsigned callers; /* met, once the host's call was */
	uint32_t offsets; /* of the first ones' return addresses */
	bool has_met_call;
};

/* Where that of the frame lies which the cursor has gone up from; 0: nowhere.
 */
static uintptr_t return_address_at(const struct cursor *at)
{
	/* As in cursor_return_register(). */
	enum row_register reg = RETURN_IS_ON_STACK ? ROW_SP : ROW_RETURN;

	return RETURN_IS_ON_STACK ? at->here.sp - ROW_WORD : at->saved[reg];
}

static bool note_caller(struct ascent *up)
{
	uintptr_t at = return_address_at(&up->at);
	uintptr_t words = (at - up->place->call.sp) / ROW_WORD;

	if (!up->has_met_call) {
		up->has_met_call = up->at.here.pc == up->place->call.pc;
		return true;
	}
	if (up->callers == COMPARED)
		return true;
	up->offsets |= (uint32_t)words << up->callers++ * OFFSET_BITS;
	return words <= MOST_WORDS;
}

/* To the next frame, which lies above, and is no other stack's. */
static bool go_up(struct ascent *up, unwind_row row)
{
	up->called = up->at.here.sp;
	return cursor_step(&up->at, &up->at.here, row) && up->at.here.pc &&
	       up->at.here.sp >= up->called && note_caller(up);
}

static bool leads_to_the_end(struct ascent *up)
{
	struct walk_frame frame;
	unwind_row row;

	for (unsigned i = 0; i < MOST_FRAMES; i++) {
		row = cursor_meet(&up->at, &up->walk, &up->at.here, &frame);
		if (row == ROW_OUTERMOST)
			return up->callers == COMPARED &&
			       own_stack_begins_at(up->at.here.sp, up->called);
		if (!row_leads_on(row) || !go_up(up, row))
			return false;
	}
	return false;
}

/* Lets the first thread's stack grow, as using it would. */
static bool has_room_below(uintptr_t sp)
{
	return memory_is_readable((void *)(sp - WORK_BYTES), WORK_BYTES);
}

cold void own_place_show(const struct own_place *place)
{
	struct ascent up = { .place = place };
	struct registers from;
	uint64_t word, check;
	bool is_own;

	if (!may_be_known(place) || was_tried(word_of(place)))
		return;
	walk_begin(&up.walk, live_recording(), 0, MOST_FRAMES, NULL);
	if (place->from)
		from = *place->from;
	else
		call_site_registers(&place->call, &from);
	cursor_begin(&up.at, &up.walk, &from);
	up.walk.locator.memory = &up.at.memory;
	/* A call that is not made from the shim is met at once. */
	up.has_met_call = up.at.here.pc == place->call.pc - 1;
	is_own = leads_to_the_end(&up) && has_room_below(place->call.sp);
	/* So that the walk that comes next need not copy. */
	stack_reach_keep(&up.at.reach, up.walk.seen, is_own);
	/* It may have been the first to tell where threads begin. */
	word = word_of(place);
	check = is_own ? check_of(place->call.sp, up.offsets) : 0;
	if (is_later(word, check))
		word = word_of_later(word, check);
	enter(word, check);
}
