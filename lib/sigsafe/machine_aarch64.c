/*
 * aarch64: what does not fit in a header, see machine.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/machine.h"

#if defined(__aarch64__)

/* The caller's frame is found from x29, whatever the stack is. */
__asm__(".text\n"
	".p2align 4\n"
	".globl machine_call_on\n"
	".hidden machine_call_on\n"
	".type machine_call_on, @function\n"
	"machine_call_on:\n\t"
	".cfi_startproc\n\t"
	"stp x29, x30, [sp, #-16]!\n\t"
	".cfi_def_cfa_offset 16\n\t"
	".cfi_offset x29, -16\n\t"
	".cfi_offset x30, -8\n\t"
	"mov x29, sp\n\t"
	".cfi_def_cfa_register x29\n\t"
	"mov sp, x0\n\t"
	"mov x0, x2\n\t"
	"blr x1\n\t"
	"mov sp, x29\n\t"
	".cfi_def_cfa_register sp\n\t"
	"ldp x29, x30, [sp], #16\n\t"
	".cfi_def_cfa_offset 0\n\t"
	".cfi_restore x29\n\t"
	".cfi_restore x30\n\t"
	"ret\n\t"
	".cfi_endproc\n\t"
	".size machine_call_on, . - machine_call_on\n");

const uint8_t row_register_number[ROW_REGISTERS] = { REGISTER_SP, REGISTER_FP,
						     REGISTER_LR };

const uint8_t row_register_of[REGISTER_COUNT] = {
	[0 ... REGISTER_FP - 1] = ROW_REGISTERS,
	[REGISTER_FP] = ROW_FP,
	[REGISTER_LR] = ROW_LR,
	[REGISTER_SP] = ROW_SP,
	[REGISTER_PC] = ROW_REGISTERS,
};

const uint16_t row_register_in_context[ROW_REGISTERS + 1] = {
	offsetof(ucontext_t, uc_mcontext.sp),
	offsetof(ucontext_t, uc_mcontext.regs[REGISTER_FP]),
	offsetof(ucontext_t, uc_mcontext.regs[REGISTER_LR]),
	offsetof(ucontext_t, uc_mcontext.pc),
};

void registers_from(struct registers *r, const ucontext_t *interrupted)
{
	const mcontext_t *context = &interrupted->uc_mcontext;

	for (int i = 0; i <= REGISTER_LR; i++)
		r->value[i] = context->regs[i];
	r->value[REGISTER_SP] = context->sp;
	r->value[REGISTER_PC] = context->pc;
}

#endif
