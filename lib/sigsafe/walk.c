/*
 * A walk: which frames are kept.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walk.h"

#include <string.h>

#include "sigsafe/machine.h"
#include "sigsafe/memory.h"

struct walk_own walk_own;

void walk_leave_out(uintptr_t start, uintptr_t end)
{
	walk_own = (struct walk_own){ start, end };
}

void walk_begin(struct walk *walk, struct recording *recording,
		uintptr_t caller, unsigned wanted, uint64_t *frame)
{
	walk->locator = (struct locator){ .recording = recording };
	walk->awaited = caller;
	walk->wanted = wanted;
	walk->top = UINTPTR_MAX;
	walk->depth = 0;
	walk->seen = 0;
	walk->behind_signal = false;
	walk->has_met_top = false;
	walk->hash = 0;
	walk->frame = frame;
}

/* Can the frame's code be read? In a module all text can. */
static bool is_code(const struct walk_frame *frame, size_t bytes)
{
	const struct module_record *module = frame->place.module;

	if (!module)
		return !walk_is_own(frame->pc) &&
		       memory_is_readable((const void *)frame->pc, bytes);
	return frame->pc >= module->text_start &&
	       frame->pc + bytes <= module->text_end;
}

/* The kernel's code for it may be in no module, as may a program's own. */
__attribute__((no_sanitize("address"))) bool
walk_returns_from_signal(const struct walk_frame *frame)
{
	const uint8_t *code = (const uint8_t *)frame->pc;

	if (!is_code(frame, SIGRETURN_CODE_BYTES))
		return false;
	for (int i = 0; i < SIGRETURN_CODE_BYTES; i++)
		if (code[i] != (uint8_t)SIGRETURN_CODE[i])
			return false;
	return true;
}

enum walk_state walk_add(struct walk *walk, uintptr_t pc, bool exact)
{
	struct walk_frame frame = { .pc = pc,
				    .exact = exact || walk->behind_signal };

	walk_meet(walk, &frame);
	return walk_keep(walk, &frame, walk_returns_from_signal(&frame));
}

uint64_t walk_first_frame(struct recording *recording, uintptr_t pc, bool exact)
{
	struct locator locator = { .recording = recording };

	return walk_word(modules_locate(&locator, pc, !exact), exact);
}
