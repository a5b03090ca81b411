/*
 * The row of a frame: by its unwind tables, or by what its code is.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/frame_row.h"

#include "sigsafe/eh_frame.h"
#include "sigsafe/row_cache.h"

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

cold unwind_row frame_row_find(struct memory *memory,
			       const struct walk_frame *frame, uintptr_t pc)
{
	unwind_row row = eh_frame_row(memory, pc);

	/* The program's own way back from a signal handler may have none. */
	if (row == ROW_STRANGE && walk_returns_from_signal(frame))
		row = ROW_SIGNAL;
	if (row == ROW_STRANGE)
		row = linkage_row(frame);
	/* What could not be read says nothing about the next time. */
	if (frame->key && !memory->has_failed)
		row_cache_add(pc, frame->key, row);
	return row;
}
