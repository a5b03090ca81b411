/*
 * What unit tests need to know of the processor, and of its emulation.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MACHINE_FIXTURE_H
#define MACHINE_FIXTURE_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <ucontext.h>

/*
 * For a test of what the kernel does and scripts/emulate does otherwise; says
 * what that is.
 */
#define NOT_EMULATED(reason)                                                   \
	do {                                                                   \
		if (getenv("EMULATED"))                                        \
			cr_skip_test("emulated: %s", reason);                  \
	} while (0)

/*
 * For a suite to disable: a sanitizer makes frames larger, has calls of its own
 * in them, and believes that functions which are left for good still run.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED true
#else
#define IS_SANITIZED false
#endif

#define OWN_SIGNALS    "some signals are the emulator's own"
#define NO_SECCOMP     "there is no seccomp(2)"
#define NO_VDSO	       "a process has no vDSO"
#define NO_LIMIT       "no memory is refused by RLIMIT_AS"
#define NO_COPIES      "there is no process_vm_readv(2)"
#define NO_DISTANCE    "the program's data lie where its stack may reach"
#define NO_PLACE_TWICE "no address is mapped twice"
#define NO_WIPE	       "a child keeps what MADV_WIPEONFORK should wipe"

/*
 * BREAKPOINT(at): an instruction that raises SIGTRAP. fixture_resume() lets the
 * handler go on behind it; `at` is where the
 * program counter is in the handler.
 *
 * CALLER_BY_EXPRESSION(name, variable): a function that writes its return
 * address to the variable and calls fixture_hook(), whose result it returns.
 * libunwind alone finds its caller, as its CFA is an expression: the stack
 * pointer plus 16, and an instruction that does nothing.
 *
 * ODD_FUNCTIONS: see test_walk_safety.c.
 *
 * CALLBACK_CODE(bytes), of CALLBACK_UNIT: a function with a frame of so many
 * bytes, 16 or more, which calls what it is given, and that returns to
 * CALLBACK_RETURN from its start. CALLBACK_RULES(bytes): its unwind rules.
 *
 * GET_UNWIND_CONTEXT(): unw_getcontext() without a symbol of libunwind's.
 *
 * CALL_FORMS(each): each form of call; OTHER_FORMS(each): what is none.
 *
 * LOADER: the name of libc's. ROW_NAMES: what readelf calls the registers of
 * a row.
 */
#if defined(__x86_64__)

#define GET_UNWIND_CONTEXT(context) getcontext(context)

#define LOADER	  "ld-linux-x86-64.so.2"
#define ROW_NAMES "rsp", "rbp", "rbx", "r12", "r13", "r14", "r15"

/* subq, %rsp; call *%rdi; addq, %rsp; ret */
#define CALLBACK_UNIT uint8_t
#define CALLBACK_CODE(bytes)                                                   \
	{                                                                      \
		0x48, 0x83, 0xec, (uint8_t)((bytes)-8), 0xff, 0xd7, 0x48,      \
			0x83, 0xc4, (uint8_t)((bytes)-8), 0xc3                 \
	}
#define CALLBACK_RETURN 6
/* Behind the first instruction the CFA is so much further away. */
#define CALLBACK_RULES(bytes)                                                  \
	{                                                                      \
		0x44, 0x0e, bytes                                              \
	}

#define BREAKPOINT(at) "int3\n" at ":"

#define CALL_FORMS(each)                                                       \
	each("call 1f") each("call *%rax") each("call *%r12")                  \
		each("call *(%rax)") each("call *(%rsp)") each("call *(%r12)") \
			each("call *8(%rax)") each("call *8(%rsp)") each(      \
				"call *4096(%rax)") each("call *4096(%r12)")   \
				each("call *1f(%rip)") each("call *%fs:16")    \
					each("call *(%rax,%rcx,8)") each(      \
						"call *8(%r12,%rcx,8)")        \
						each("call *4096(,%rcx,8)")

#define OTHER_FORMS(each)                                                      \
	each("jmp 1f") each("jmp *%rax") each("jmp *8(%rax)") each("ret")      \
		each("pushq 8(%rax)") each("incq %rax")                        \
			each("movq %rax, %rcx")

static inline void fixture_resume(ucontext_t *context)
{
	(void)context;
}

#define CALLER_BY_EXPRESSION(name, variable)                                   \
	__asm__(".text\n"                                                      \
		".globl " name "\n"                                            \
		".hidden " name "\n"                                           \
		".type " name ", @function\n" name ":\n"                       \
		"	.cfi_startproc\n"                                            \
		"	subq $8, %rsp\n"                                             \
		"	.cfi_escape 0x0f, 3, 0x77, 16, 0x96\n"                       \
		"	movq 8(%rsp), %rax\n"                                        \
		"	movq %rax, " variable "(%rip)\n"                       \
		"	call fixture_hook\n"                                         \
		"	addq $8, %rsp\n"                                             \
		"	ret\n"                                                       \
		"	.cfi_endproc\n"                                              \
		".size " name ", . - " name "\n")

/* DW_CFA_def_cfa_expression: breg3 0, deref, plus_uconst 16; skip -3 */
#define ODD_FUNCTIONS                                                          \
	"odd_no_rule:\n"                                                       \
	"	.cfi_startproc simple\n"                                             \
	"	subq $8, %rsp\n"                                                     \
	"	call *%rdi\n"                                                        \
	"	addq $8, %rsp\n"                                                     \
	"	ret\n"                                                               \
	"	.cfi_endproc\n"                                                      \
	"odd_wild:\n"                                                          \
	"	.cfi_startproc\n"                                                    \
	"	pushq %rbx\n"                                                        \
	"	movq $65536, %rbx\n"                                                 \
	"	.cfi_escape 0x0f, 5, 0x73, 0, 6, 0x23, 16\n"                         \
	"	call *%rdi\n"                                                        \
	"	popq %rbx\n"                                                         \
	"	ret\n"                                                               \
	"	.cfi_endproc\n"                                                      \
	"odd_endless:\n"                                                       \
	"	.cfi_startproc\n"                                                    \
	"	subq $8, %rsp\n"                                                     \
	"	.cfi_escape 0x0f, 3, 0x2f, 0xfd, 0xff\n"                             \
	"	call *%rdi\n"                                                        \
	"	addq $8, %rsp\n"                                                     \
	"	ret\n"                                                               \
	"	.cfi_endproc\n"

#elif defined(__aarch64__)

#define GET_UNWIND_CONTEXT(context) unw_tdep_getcontext(context)

#define LOADER	      "ld-linux-aarch64.so.1"
#define ROW_NAMES     "sp", "x29", "ra"

/* sub sp; str x30, [sp]; blr x0; ldr x30, [sp]; add sp; ret */
#define CALLBACK_UNIT uint32_t
#define CALLBACK_CODE(bytes)                                                   \
	{                                                                      \
		0xd10003ff | (bytes) << 10, 0xf90003fe, 0xd63f0000,            \
			0xf94003fe, 0x910003ff | (bytes) << 10, 0xd65f03c0     \
	}
#define CALLBACK_RETURN 12
/* And behind the second one x30 is saved at its far end. */
#define CALLBACK_RULES(bytes)                                                  \
	{                                                                      \
		0x41, 0x0e, bytes, 0x41, 0x9e, (bytes) / 8                     \
	}

#define BREAKPOINT(at) at ": brk #0"

#define CALL_FORMS(each)  each("bl 1f") each("blr x9") each("blr x30")
#define OTHER_FORMS(each) each("b 1f") each("br x9") each("ret") each("nop")

static inline void fixture_resume(ucontext_t *context)
{
	context->uc_mcontext.pc += 4;
}

#define PUSH_FRAME	 "	stp x29, x30, [sp, #-16]!\n"
#define PUSH_FRAME_RULES "	.cfi_offset 29, -16\n	.cfi_offset 30, -8\n"
#define POP_FRAME	 "	ldp x29, x30, [sp], #16\n	ret\n"

#define CALLER_BY_EXPRESSION(name, variable)                                   \
	__asm__(".text\n"                                                      \
		".globl " name "\n"                                            \
		".hidden " name "\n"                                           \
		".type " name ", @function\n" name ":\n"                       \
		"	.cfi_startproc\n" PUSH_FRAME PUSH_FRAME_RULES          \
		"	.cfi_escape 0x0f, 3, 0x8f, 16, 0x96\n"                       \
		"	adrp x0, " variable "\n"                               \
		"	str x30, [x0, :lo12:" variable "]\n"                   \
		"	bl fixture_hook\n" POP_FRAME "	.cfi_endproc\n"         \
		".size " name ", . - " name "\n")

/* DW_CFA_def_cfa_expression: breg19 0, deref, plus_uconst 16; skip -3 */
#define ODD_FUNCTIONS                                                          \
	"odd_no_rule:\n"                                                       \
	"	.cfi_startproc simple\n" PUSH_FRAME "	blr x0\n" POP_FRAME    \
	"	.cfi_endproc\n"                                                      \
	"odd_wild:\n"                                                          \
	"	.cfi_startproc\n" PUSH_FRAME PUSH_FRAME_RULES                  \
	"	str x19, [sp, #-16]!\n"                                              \
	"	mov x19, #65536\n"                                                   \
	"	.cfi_escape 0x0f, 5, 0x83, 0, 6, 0x23, 16\n"                         \
	"	blr x0\n"                                                            \
	"	ldr x19, [sp], #16\n" POP_FRAME "	.cfi_endproc\n"              \
	"odd_endless:\n"                                                       \
	"	.cfi_startproc\n" PUSH_FRAME PUSH_FRAME_RULES                  \
	"	.cfi_escape 0x0f, 3, 0x2f, 0xfd, 0xff\n"                             \
	"	blr x0\n" POP_FRAME "	.cfi_endproc\n"

#endif

#endif
