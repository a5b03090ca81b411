/*
 * x86-64: what does not fit in a header, see machine.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/machine.h"

#include <string.h>

/* The caller's frame is found from %rbp, whatever the stack is. */
__asm__(".text\n"
	".p2align 4\n"
	".globl machine_call_on\n"
	".hidden machine_call_on\n"
	".type machine_call_on, @function\n"
	"machine_call_on:\n\t"
	".cfi_startproc\n\t"
	"pushq %rbp\n\t"
	".cfi_def_cfa_offset 16\n\t"
	".cfi_offset %rbp, -16\n\t"
	"movq %rsp, %rbp\n\t"
	".cfi_def_cfa_register %rbp\n\t"
	"movq %rdi, %rsp\n\t"
	"movq %rdx, %rdi\n\t"
	"callq *%rsi\n\t"
	"leave\n\t"
	".cfi_def_cfa %rsp, 8\n\t"
	"ret\n\t"
	".cfi_endproc\n\t"
	".size machine_call_on, . - machine_call_on\n");

_Static_assert(REGISTER_COUNT == 17, "what registers_here() fills in");

void registers_from(struct registers *r, const ucontext_t *interrupted)
{
	static const uint8_t greg[REGISTER_COUNT] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
		REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
		REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
	};

	for (int i = 0; i < REGISTER_COUNT; i++)
		r->value[i] = (uint64_t)interrupted->uc_mcontext.gregs[greg[i]];
}
