/*
 * A walk: which frames are kept.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walk/walk.h"

#include <string.h>

#include "sigsafe/os/machine.h"
#include "sigsafe/os/memory.h"
#include "sigsafe/walk/row_cache.h"

struct walk_own walk_own, walk_continues;

void walk_leave_out(uintptr_t start, uintptr_t end)
{
	walk_own = (struct walk_own){ start, end };
}

void walk_leave_out_called(uintptr_t start, uintptr_t end)
{
	walk_continues = (struct walk_own){ start, end };
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
	walk->top_pc = 0;
	walk->lacks_memory = false;
	walk->may_guess = false;
	walk->has_guessed = false;
	walk->hash = 0;
	walk->sure_depth = 0;
	walk->sure_hash = 0;
	walk->frame = frame;
}

/* Can its code be there? In a module it is in the text; of ours it is not. */
static bool may_be_code(const struct walk_frame *frame, size_t bytes)
{
	const struct module_record *module = frame->place.module;

	if (!module)
		return !walk_is_own(frame->pc);
	return frame->pc >= module->text_start &&
	       frame->pc + bytes <= module->text_end;
}

/* The kernel's code for it may be in no module, as may a program's own. */
bool walk_returns_from_signal(const struct walk_frame *frame)
{
	uint8_t code[SIGRETURN_CODE_BYTES];

	return may_be_code(frame, sizeof(code)) &&
	       memory_copy(code, (const void *)frame->pc, sizeof(code)) &&
	       memcmp(code, SIGRETURN_CODE, sizeof(code)) == 0;
}

/*
 * The same, kept among the rows: of a frame word that is marked exact, which no
 * row is kept for.
 */
static bool is_known_to_return_from_signal(const struct walk_frame *frame)
{
	uintptr_t pc = frame->pc - !frame->exact;
	uint64_t key = frame->key | FRAME_EXACT;
	unwind_row row;

	if (!frame->key)
		return walk_returns_from_signal(frame);
	if (!row_cache_find(pc, key, &row)) {
		row = walk_returns_from_signal(frame) ? ROW_SIGNAL
						      : ROW_STRANGE;
		row_cache_add(pc, key, row);
	}
	return row == ROW_SIGNAL;
}

enum walk_state walk_add(struct walk *walk, uintptr_t pc, bool exact)
{
	struct walk_frame frame = { .pc = pc,
				    .exact = exact || walk->behind_signal };

	walk_meet(walk, &frame);
	return walk_keep(walk, &frame, is_known_to_return_from_signal(&frame));
}

uint64_t walk_first_frame(struct recording *recording, uintptr_t pc, bool exact)
{
	struct locator locator = { .recording = recording };

	return walk_word(modules_locate(&locator, pc, !exact), exact);
}
