/*
 * The row of a frame: by its unwind tables, or by what its code is.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walk/frame_row.h"

#include "sigsafe/walk/eh_frame.h"
#include "sigsafe/walk/return_address.h"
#include "sigsafe/walk/row_cache.h"

/* In front of what it leads to: no frame has come of it yet. */
static unwind_row linkage_row(const struct walk_frame *frame)
{
	const struct module_record *module = frame->place.module;
	int words;

	if (!frame->exact || !module)
		return ROW_STRANGE;
	words = machine_linkage_words(frame->pc, module->text_start,
				      module->text_end);
	if (words < 0)
		return ROW_STRANGE;
	return row_pack(ROW_PLAIN, ROW_SP, (uint32_t)words) |
	       (words ? row_pack_saved(ROW_RETURN, 1) : 0);
}

/*
 * To return to where a function begins is what whoever made the stack has put
 * there, makecontext(3) for one: what returns has not been called by anything.
 */
static bool is_made_up(struct memory *memory, const struct walk_frame *frame)
{
	struct function function;

	eh_frame_row_in(memory, frame->pc, &function);
	return function.start == frame->pc &&
	       !return_address_follows_call(frame->pc);
}

/* Right behind one that it was not called from. */
static bool is_between(const struct walk_frame *frame,
		       const struct function *before)
{
	return frame->pc == before->end &&
	       !return_address_follows_call(frame->pc);
}

cold unwind_row frame_row_find(struct memory *memory,
			       const struct walk_frame *frame, uintptr_t pc)
{
	struct function function;
	unwind_row row = eh_frame_row_in(memory, pc, &function);

	/*
	 * The program's own way back from a signal handler may have none. It is
	 * entered at its start: in front of that may lie another function.
	 */
	if ((row == ROW_STRANGE || is_between(frame, &function)) &&
	    walk_returns_from_signal(frame))
		row = ROW_SIGNAL;
	if (row == ROW_STRANGE)
		row = linkage_row(frame);
	if ((row == ROW_STRANGE || is_between(frame, &function)) &&
	    !frame->exact && is_made_up(memory, frame))
		row = ROW_RETURN_ENTERS;
	if (row == ROW_STRANGE && !function.start)
		row = ROW_BARE;
	/* What could not be read says nothing about the next time. */
	if (frame->key && !memory->has_failed)
		row_cache_add(pc, frame->key, row);
	return row;
}
