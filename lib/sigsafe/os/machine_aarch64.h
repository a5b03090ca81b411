/*
 * aarch64: see machine.h. Sources: "Procedure Call Standard" and "DWARF for the
 * Arm 64-bit Architecture" (both of Arm), Linux' asm/sigcontext.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_OS_MACHINE_AARCH64_H
#define SIGSAFE_OS_MACHINE_AARCH64_H

#include <string.h>

static inline long sys6(long n, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = n;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory", "cc");
	return x0;
}

#define LEAST_STACK_BYTES 5120

static inline void machine_relax(void)
{
	__asm__ volatile("yield" ::: "memory");
}

/* Nothing is forbidden. */
static inline void machine_allow_accesses(void)
{
}

/*
 * Only a pair whose store succeeds was read in one step: so what differs is
 * stored back. The barrier is for what comes behind, which the store lets pass.
 */
static inline bool machine_cas16(void *p, uint64_t *low, uint64_t *high,
				 uint64_t new_low, uint64_t new_high)
{
	uint64_t was_low, was_high, put_low, put_high;
	uint32_t failed;

	__asm__ volatile(
		"1:	ldaxp %[wl], %[wh], %[at]\n\t"
		"cmp %[wl], %[ol]\n\t"
		"ccmp %[wh], %[oh], #0, eq\n\t"
		"csel %[pl], %[nl], %[wl], eq\n\t"
		"csel %[ph], %[nh], %[wh], eq\n\t"
		"stlxp %w[failed], %[pl], %[ph], %[at]\n\t"
		"cbnz %w[failed], 1b\n\t"
		"dmb ish"
		: [wl] "=&r"(was_low), [wh] "=&r"(was_high),
		  [pl] "=&r"(put_low), [ph] "=&r"(put_high),
		  [failed] "=&r"(failed), [at] "+Q"(*(unsigned __int128 *)p)
		: [ol] "r"(*low), [oh] "r"(*high), [nl] "r"(new_low),
		  [nh] "r"(new_high)
		: "memory", "cc");
	if (was_low == *low && was_high == *high)
		return true;
	*low = was_low;
	*high = was_high;
	return false;
}

#define MACHINE_LOAD "ldr %0, %1"

#define MACHINE_ALIGNS_STACK

/* xpaclri, of x30; no operation where there are no signatures. */
static inline uintptr_t machine_code_address(uintptr_t address)
{
	register uintptr_t x30 __asm__("x30") = address;

	__asm__("hint #7" : "+r"(x30));
	return x30;
}

enum {
	REGISTER_FP = 29,
	REGISTER_LR = 30,
	REGISTER_SP = 31,
	REGISTER_PC = 32,
	REGISTER_COUNT
};

#define RETURN_COLUMN REGISTER_LR

/*
 * Compilers find a frame by no other register than these. A frame may be large,
 * and they lie at its far end.
 */
enum row_register {
	ROW_SP,
	ROW_FP,
	ROW_LR,
	ROW_REGISTERS
};

#define RETURN_IS_ON_STACK false
#define ROW_RETURN	   ROW_LR
#define ROW_SAVED_BITS	   15

static inline __attribute__((always_inline)) void
read_registers_here(uint64_t *value)
{
	/* One step: a stack pointer belongs to one program counter. */
	__asm__ volatile("stp x19, x20, [%0, #152]\n\t"
			 "stp x21, x22, [%0, #168]\n\t"
			 "stp x23, x24, [%0, #184]\n\t"
			 "stp x25, x26, [%0, #200]\n\t"
			 "stp x27, x28, [%0, #216]\n\t"
			 "stp x29, x30, [%0, #232]\n\t"
			 "mov x9, sp\n\t"
			 "adr x10, .\n\t"
			 "stp x9, x10, [%0, #248]"
			 :
			 : "r"(value)
			 : "x9", "x10", "memory");
}

/* mov x8, #139; svc #0. It is the kernel's, in its own object. */
#define SIGRETURN_CODE	     "\x68\x11\x80\xd2\x01\x00\x00\xd4"
#define SIGRETURN_CODE_BYTES 8
#define SIGRETURN_CONTEXT    sizeof(siginfo_t)

static inline uintptr_t context_pc(const ucontext_t *uc)
{
	return (uintptr_t)uc->uc_mcontext.pc;
}

static inline void context_set_pc(ucontext_t *uc, uintptr_t pc)
{
	uc->uc_mcontext.pc = pc;
}

static inline uintptr_t context_sp(const ucontext_t *uc)
{
	return (uintptr_t)uc->uc_mcontext.sp;
}

static inline uintptr_t context_frame_top(const ucontext_t *uc)
{
	return context_sp(uc);
}

/* 8: uc_link. */
#define NOTE_AND_GO_ON(noted, go_on)                                           \
	"adrp x9, :gottprel:" #noted "\n\t"                                    \
	"ldr x9, [x9, :gottprel_lo12:" #noted "]\n\t"                          \
	"mrs x10, tpidr_el0\n\t"                                               \
	"ldr x11, [x10, x9]\n\t"                                               \
	"str x11, [x2, #8]\n\t"                                                \
	"str x2, [x10, x9]\n\t"                                                \
	"b " #go_on "\n\t"

#define STACK_IS_RESTORED_FIRST_SINCE 0xffffff /* never */

#define CALL_BYTES 4 /* svc #0 */

static inline bool is_call_instruction(uintptr_t at)
{
	return *(const uint32_t *)at == UINT32_C(0xd4000001);
}

static inline bool context_is_after_call(const ucontext_t *uc)
{
	return is_call_instruction(context_pc(uc) - CALL_BYTES);
}

/* It may also be one that has not begun yet: no register tells. */
static inline long context_call_again(const ucontext_t *uc)
{
	return is_call_instruction(context_pc(uc))
		       ? (long)uc->uc_mcontext.regs[8]
		       : -1;
}

static inline void context_repeat_call(ucontext_t *uc, long number, long first)
{
	uc->uc_mcontext.pc -= CALL_BYTES;
	uc->uc_mcontext.regs[8] = (uint64_t)number;
	uc->uc_mcontext.regs[0] = (uint64_t)first;
}

static inline void context_leave_call(ucontext_t *uc, long result)
{
	uc->uc_mcontext.pc += CALL_BYTES;
	uc->uc_mcontext.regs[0] = (uint64_t)result;
}

static inline long context_result(const ucontext_t *uc)
{
	return (long)uc->uc_mcontext.regs[0];
}

static inline void context_set_result(ucontext_t *uc, long result)
{
	uc->uc_mcontext.regs[0] = (uint64_t)result;
}

static inline long context_argument(const ucontext_t *uc, int which)
{
	return (long)uc->uc_mcontext.regs[which];
}

/* Its register has the result. */
static inline long context_first_argument(const ucontext_t *uc)
{
	(void)uc;
	return -1;
}

static inline void context_move_argument(ucontext_t *uc, int which, long by)
{
	uc->uc_mcontext.regs[which] += (uint64_t)by;
}

static inline bool context_is_broken_call(const ucontext_t *uc)
{
	return context_result(uc) == -EINTR && context_is_after_call(uc);
}

#define MACHINE_CALL_BYTES 4

/* bl, blr, and what checks a signature first. */
static inline bool machine_follows_call(const uint8_t *next)
{
	uint32_t code;

	memcpy(&code, next - sizeof(code), sizeof(code));
	return (code & 0xfc000000) == 0x94000000 ||
	       (code & 0xfffffc1f) == 0xd63f0000 ||
	       (code & 0xfefff800) == 0xd63f0800;
}

static inline uintptr_t machine_call_target(const uint8_t *next,
					    uintptr_t address)
{
	uint32_t code;

	memcpy(&code, next - sizeof(code), sizeof(code));
	if ((code & 0xfc000000) != 0x94000000)
		return 0;
	return address - 4 + (uintptr_t)((int64_t)((uint64_t)code << 38) >> 36);
}

#define MACHINE_JUMP_BYTES 4

/* Linkers write more than one instruction for it. */
static inline uintptr_t machine_jump_slot(const uint8_t *code,
					  uintptr_t address)
{
	(void)code;
	(void)address;
	return 0;
}

#define VDSO_CLOCK "__kernel_clock_gettime"

#define UNWIND_LIBRARY	  "libunwind-aarch64.so.8"
#define UNWIND_NAME(name) "_Uaarch64_" name
#define UNWIND_IMPORTS	  "__getauxval"

#define IS_IMPORT_RELOCATION(type)                                             \
	((type) == R_AARCH64_GLOB_DAT || (type) == R_AARCH64_JUMP_SLOT)
#define IS_OTHER_RELOCATION(type)                                              \
	((type) == R_AARCH64_RELATIVE || (type) == R_AARCH64_TLSDESC)

#endif
