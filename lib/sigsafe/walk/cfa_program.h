/*
 * A call frame program (DWARF 5, 6.4): makes the row for an instruction of one
 * function. Signal-safe; takes 300 bytes of the stack.
 *
 * Not in a row, and so ROW_STRANGE: offsets that are not a multiple of 8 or
 * above 256 KB, the return address anywhere but below the CFA, registers kept
 * in registers, and all expressions but those that compilers write for
 * realigned frames, linkers for procedure linkage tables, and libc for the
 * return from a signal.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WALK_CFA_PROGRAM_H
#define SIGSAFE_WALK_CFA_PROGRAM_H

#include "sigsafe/walk/dwarf_bytes.h"
#include "sigsafe/walk/unwind_row.h"

struct cfa_program {
	struct bytes common;   /* instructions that come first */
	struct bytes function; /* the function's own */
	uint64_t code_factor;
	int64_t data_factor;
	uintptr_t start, end; /* of the function */
	uint8_t encoding;     /* of the addresses in the program */
	bool is_signal_frame;
};

/* pc: at or behind start. */
unwind_row cfa_program_row(const struct cfa_program *program, uintptr_t pc);

#endif
