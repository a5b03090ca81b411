/*
 * A naive walk by libunwind.
 *
 * SPDX-License-Identifier: MIT
 */
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#include <string.h>

#include "naive_walk.h"

void naive_frames(struct walk *walk, const ucontext_t *interrupted)
{
	enum walk_state state = WALK_GOES_ON;
	bool exact = interrupted;
	unw_cursor_t cursor;
	unw_context_t here;

	if (interrupted)
		memcpy(&here, interrupted, sizeof(here));
	else
		unw_getcontext(&here);
	if (unw_init_local2(&cursor, &here,
			    interrupted ? UNW_INIT_SIGNAL_FRAME : 0) < 0)
		return;
	do {
		unw_word_t pc = 0;

		unw_get_reg(&cursor, UNW_REG_IP, &pc);
		if (!pc)
			return;
		state = walk_add(walk, pc, exact);
		exact = false;
	} while (state == WALK_GOES_ON && unw_step(&cursor) > 0);
}
