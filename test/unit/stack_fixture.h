/*
 * Captured stacks, for unit tests to look at.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef STACK_FIXTURE_H
#define STACK_FIXTURE_H

#include "base/format.h"

/* A live recording, and the unwinder started as by default. */
void fixture_start_unwinder(void);

/* The stack at this place of the live recording. */
const struct stack_record *fixture_stack(uint32_t place);

/* The frame word of a return address, in the live recording. */
uint64_t fixture_frame(const void *return_address);

/* The index of this frame in the stack, or -1. */
int fixture_find(const struct stack_record *stack, uint64_t frame);

/* "path(+0xoffset)" of a frame, as backtrace_symbols() has it without names. */
void fixture_frame_text(uint64_t frame, char *text, size_t size);

/* The place of the function it stands in, which stands for a hook. */
#define FIXTURE_PLACE(from)                                                    \
	{                                                                      \
		{ (uintptr_t)__builtin_return_address(0),                      \
		  (uintptr_t)__builtin_frame_address(0), 0 },                  \
			from                                                   \
	}

/* Stands for a hook: the stack of its caller. */
uint32_t fixture_hook(void);

#endif
