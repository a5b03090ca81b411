/*
 * The caller of code without unwind rules: words of the stack on trial.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walk/walk_guess.h"

#include "sigsafe/walk/object.h"
#include "sigsafe/walk/return_address.h"

/* A frame larger than this is no frame. */
#define MAX_FRAME_BYTES (UINT64_C(16) << 20)

/* Functions that are longer are rare, where they have no rules. */
#define MAX_CODE_BYTES (64u << 10)

/* A walk that is made to see whether it leads on. */
struct trial {
	struct walk walk;
	struct cursor at;
};

static void begin(struct trial *trial, const struct cursor *from)
{
	trial->walk = *from->walk;
	trial->at = *from;
	trial->at.walk = &trial->walk;
	trial->at.reach.memory = &trial->at.memory;
	trial->walk.locator.memory = &trial->at.memory;
}

static unwind_row next_row(struct trial *trial)
{
	struct walk_frame frame;

	return cursor_meet(&trial->at, &trial->walk, &trial->at.here, &frame);
}

static bool is_call(const struct cursor *at)
{
	return at->here.exact || return_address_follows_call(at->here.pc);
}

static bool leads_on(struct trial *trial)
{
	struct cursor *at = &trial->at;

	for (unsigned i = 0; i < GUESS_FRAMES; i++) {
		unwind_row row = next_row(trial);

		if (row_is_outermost(row))
			return i;
		/* Where others have to go on it is not known to be wrong. */
		if (row == ROW_STRANGE || row == ROW_BARE)
			return i > 1;
		if (!is_call(at) || !cursor_step(at, &at->here, row))
			return false;
		if (!at->here.pc)
			return i;
	}
	return true;
}

/* The caller would have been left with these. */
static void put_caller(struct cursor *at, uintptr_t pc, uintptr_t sp,
		       uintptr_t fp)
{
	cursor_reach(at, &at->here, sp);
	at->here.pc = pc;
	at->here.exact = false;
	at->here.sp = sp;
	at->here.fp = fp;
}

/* A guess under way. */
struct guess {
	struct cursor *at;
	unsigned trials;
	bool is_strict; /* only what is seen to call that very code will do */
	uintptr_t pc, sp;
};

static bool leads_on_with(struct guess *guess, uintptr_t fp)
{
	struct trial trial;
	bool good;

	if (!guess->trials)
		return false;
	guess->trials--;
	begin(&trial, guess->at);
	put_caller(&trial.at, guess->pc, guess->sp, fp);
	good = leads_on(&trial);
	guess->at->memory.budget = trial.at.memory.budget;
	if (good)
		put_caller(guess->at, guess->pc, guess->sp, fp);
	return good;
}

static bool may_be_frame(uintptr_t fp, uintptr_t sp)
{
	return fp % ROW_WORD == 0 && fp >= sp && fp - sp < MAX_FRAME_BYTES;
}

/* What it has put on the stack may be the frame pointer it was called with. */
static bool leads_on_anyhow(struct guess *guess, uintptr_t slot)
{
	uintptr_t address;
	uint64_t fp;

	if (leads_on_with(guess, guess->at->here.fp))
		return true;
	for (address = guess->at->here.sp; address < slot;
	     address += ROW_WORD) {
		if (memory_read(&guess->at->memory, address, &fp) &&
		    may_be_frame(fp, guess->sp) && leads_on_with(guess, fp))
			return true;
	}
	return false;
}

/* Of code without rules that begins nearby, the interrupted is taken for part.
 */
static bool calls_it(const struct guess *guess)
{
	uintptr_t pc = guess->at->here.pc;
	uintptr_t callee = return_address_callee(guess->pc);
	struct trial trial;

	if (!callee || callee > pc || pc - callee > MAX_CODE_BYTES)
		return false;
	begin(&trial, guess->at);
	trial.at.here.pc = callee;
	trial.at.here.exact = true;
	return next_row(&trial) == ROW_BARE;
}

/* slot: the end of what the code has put on the stack. */
static bool is_caller(struct guess *guess, uint64_t word, uintptr_t slot,
		      uintptr_t sp)
{
	struct object object;

	guess->pc = machine_code_address(word);
	guess->sp = sp;
	return object_find(guess->pc - 1, &object) &&
	       return_address_follows_call(guess->pc) &&
	       (!guess->is_strict || calls_it(guess)) &&
	       leads_on_anyhow(guess, slot);
}

static bool find_in_register(struct guess *guess)
{
	uint64_t word;

	return cursor_return_register(guess->at, &guess->at->here, &word) &&
	       is_caller(guess, word, guess->at->here.sp, guess->at->here.sp);
}

static bool find_on_stack(struct guess *guess, unsigned words, bool is_strict)
{
	struct cursor *at = guess->at;
	uint64_t word;

	guess->is_strict = is_strict;
	for (unsigned i = 0; i < words && guess->trials; i++) {
		uintptr_t slot = at->here.sp + i * ROW_WORD;

		if (!memory_read(&at->memory, slot, &word))
			return false;
		if (is_caller(guess, word, slot, slot + ROW_WORD))
			return true;
	}
	return false;
}

/* Does it keep a frame pointer, as its caller, which has no rules either? */
static bool keeps_frame_pointer(const struct cursor *from)
{
	struct trial trial;
	uint64_t pc;

	begin(&trial, from);
	if (!may_be_frame(from->here.fp, from->here.sp) ||
	    !memory_read(&trial.at.memory, from->here.fp + ROW_WORD, &pc))
		return false;
	put_caller(&trial.at, machine_code_address(pc), from->here.sp,
		   from->here.fp);
	return next_row(&trial) == ROW_BARE && is_call(&trial.at);
}

/* What has called on has more of its own there, and its callee's arguments. */
static bool find_caller(struct guess *guess)
{
	if (!guess->at->here.exact)
		return find_on_stack(guess, GUESS_WORDS_OF_CALLER, true);
	return find_in_register(guess) ||
	       find_on_stack(guess, GUESS_WORDS, true) ||
	       find_on_stack(guess, GUESS_WORDS, false);
}

cold bool walk_guess_caller(struct walk *walk, struct cursor *at)
{
	struct guess guess = { .at = at, .trials = GUESS_TRIALS };
	bool had_failed = at->memory.has_failed;
	bool is_found;

	if (!walk->may_guess || !at->is_bare || keeps_frame_pointer(at))
		return false;
	is_found = find_caller(&guess);
	walk->has_guessed |= is_found;
	/* To look for it beyond the stack's end is no failure. */
	at->memory.has_failed = had_failed;
	return is_found;
}

/* Can it have called code in no object? */
static bool may_call_it(struct skip_search *search, uintptr_t pc)
{
	struct object object;
	uintptr_t callee;

	if (!object_find(pc - 1, &object))
		return false;
	if (!search->calls)
		return true;
	search->calls--;
	callee = return_address_callee(pc);
	return return_address_follows_call(pc) &&
	       (!callee || !object_find(callee, &object));
}

cold bool walk_guess_may_skip(struct skip_search *search, struct memory *memory,
			      uintptr_t sp, uintptr_t fp)
{
	unsigned budget = memory->budget;
	bool is_found = false;
	uint64_t word;

	for (; sp < fp && !is_found; sp += ROW_WORD) {
		if (!search->words || !memory_read(memory, sp, &word))
			return true;
		search->words--;
		is_found = may_call_it(search, machine_code_address(word));
	}
	memory->budget = budget;
	return is_found;
}
