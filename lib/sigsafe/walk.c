/*
 * A walk: which frames are kept.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walk.h"

#include <string.h>

#include "sigsafe/machine.h"
#include "sigsafe/memory.h"

/* Frames left out before a walk that meets no other is given up. */
#define MAX_LEFT_OUT 64u

/* The shim's own object. Written by walk_leave_out(), in the constructor. */
static uintptr_t own_start, own_end;

void walk_leave_out(uintptr_t start, uintptr_t end)
{
	own_start = start;
	own_end = end;
}

void walk_begin(struct walk *walk, struct recording *recording,
		uintptr_t caller, unsigned wanted)
{
	walk->locator = (struct locator){ .recording = recording };
	walk->awaited = caller;
	walk->wanted = wanted;
	walk->depth = 0;
	walk->seen = 0;
	walk->behind_signal = false;
}

static bool is_left_out(struct walk *walk, uintptr_t pc)
{
	if (walk->awaited == pc)
		walk->awaited = 0;
	return walk->awaited || pc - own_start < own_end - own_start;
}

/* Is pc, in this module's text, the way back from a signal handler? */
__attribute__((no_sanitize("address"))) static bool
is_signal_return(const struct module_record *module, uintptr_t pc)
{
	const uint8_t *code = (const uint8_t *)pc;

	if (!module || pc < module->text_start ||
	    pc + SIGRETURN_CODE_BYTES > module->text_end)
		return false;
	for (int i = 0; i < SIGRETURN_CODE_BYTES; i++)
		if (code[i] != (uint8_t)SIGRETURN_CODE[i])
			return false;
	return true;
}

/* Points behind the instruction: a return address does, if not exact. */
static uint64_t frame_word(struct place place, bool exact)
{
	return exact ? (place.word + 1) | FRAME_EXACT : place.word;
}

enum walk_state walk_add(struct walk *walk, uintptr_t pc, bool exact)
{
	struct place place;

	exact |= walk->behind_signal;
	walk->behind_signal = false;
	if (++walk->seen > walk->wanted + MAX_LEFT_OUT)
		return WALK_CUT;
	if (is_left_out(walk, pc))
		return WALK_GOES_ON;
	place = modules_locate(&walk->locator, pc, !exact);
	/* Code made at run time, or no code at all. */
	if (!place.is_in_object &&
	    !memory_is_readable((const void *)(pc - !exact), 1))
		return WALK_CUT;
	walk->behind_signal = is_signal_return(place.module, pc);
	/* That code's address was put there by the kernel: nothing called it.
	 */
	walk->frame[walk->depth++] =
		frame_word(place, exact || walk->behind_signal);
	return walk->depth < walk->wanted ? WALK_GOES_ON : WALK_COMPLETE;
}

uint64_t walk_first_frame(struct recording *recording, uintptr_t pc, bool exact)
{
	struct locator locator = { .recording = recording };

	return frame_word(modules_locate(&locator, pc, !exact), exact);
}
