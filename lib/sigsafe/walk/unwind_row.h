/*
 * A row: how the caller's registers are found from those of a function that
 * has come to a certain instruction. One word, so that it is read and written
 * whole:
 *
 *   bits 0 to 2    kind
 *   bits 3 to 5    base, a row_register
 *   bits 6 to 25   offset / 8
 *   bits 26 on     ROW_SAVED_BITS for each register but ROW_SP: where it is
 *                  saved
 *
 * The CFA is the stack pointer's value once the function has returned. The
 * registers are the machine's row_register; no other one is needed to find a
 * caller. Where calls leave the return address on the stack it lies right below
 * the CFA, otherwise it is in one of them.
 *
 *   kind           CFA                       a register saved at n lies at
 *   ROW_PLAIN      base + offset             CFA - 8 n
 *   ROW_REALIGNED  the word at base - offset base - 8 (n - 1)
 *   ROW_KEPT       the word at base + offset,
 *                  and 8 more                CFA - 8 n
 *   ROW_PLT        ROW_SP + 8, and 8 more once the program counter's place in
 *                  its 16 bytes has come to offset / 8
 *   ROW_SIGNAL     all registers lie in a ucontext_t
 *   ROW_OUTERMOST  there is no caller
 *   ROW_STRANGE    can't be said in a row
 *   ROW_BARE       there are no rules for the code
 *
 * n = 0: the register has the caller's value still.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WALK_UNWIND_ROW_H
#define SIGSAFE_WALK_UNWIND_ROW_H

#include "sigsafe/os/machine.h"

typedef uint64_t unwind_row;

enum row_kind {
	ROW_STRANGE,
	ROW_PLAIN,
	ROW_REALIGNED,
	ROW_KEPT,
	ROW_PLT,
	ROW_SIGNAL,
	ROW_OUTERMOST,
	ROW_BARE
};

#define ROW_WORD	8u
#define ROW_OFFSET_MASK ((1u << 20) - 1)
#define ROW_MAX_SAVED	((1 << ROW_SAVED_BITS) - 1)

_Static_assert(26 + ROW_SAVED_BITS * (ROW_REGISTERS - 1) <= 64, "a word");

/* offset: in words. */
static inline unwind_row row_pack(enum row_kind kind, enum row_register base,
				  uint32_t offset)
{
	return (uint64_t)kind | (uint64_t)base << 3 | (uint64_t)offset << 6;
}

static inline unsigned row_saved_shift(enum row_register reg)
{
	return 26 + ROW_SAVED_BITS * ((unsigned)reg - ROW_FP);
}

static inline unwind_row row_pack_saved(enum row_register reg, uint32_t n)
{
	return (uint64_t)n << row_saved_shift(reg);
}

static inline enum row_kind row_kind(unwind_row row)
{
	return (enum row_kind)(row & 7);
}

/* Is it of a kind that says how to find a caller? */
static inline bool row_leads_on(unwind_row row)
{
	return row_kind(row) > ROW_STRANGE && row_kind(row) < ROW_OUTERMOST;
}

/* Outermost, as it was put there to be returned to: nobody has called it. */
#define ROW_RETURN_ENTERS row_pack(ROW_OUTERMOST, 0, 1)

static inline bool row_is_outermost(unwind_row row)
{
	return row_kind(row) == ROW_OUTERMOST;
}

/* Was the address put on the stack by another than a call? */
static inline bool row_is_not_called(unwind_row row)
{
	return unlikely(row_kind(row) >= ROW_SIGNAL) &&
	       (row == ROW_SIGNAL || row == ROW_RETURN_ENTERS);
}

static inline enum row_register row_base(unwind_row row)
{
	return (enum row_register)(row >> 3 & 7);
}

static inline uint32_t row_offset(unwind_row row)
{
	return (uint32_t)(row >> 6) & ROW_OFFSET_MASK;
}

static inline uint32_t row_saved(unwind_row row, enum row_register reg)
{
	return (uint32_t)(row >> row_saved_shift(reg)) & ROW_MAX_SAVED;
}

#endif
