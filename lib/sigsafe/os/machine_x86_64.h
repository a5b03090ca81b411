/*
 * x86-64: see machine.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_OS_MACHINE_X86_64_H
#define SIGSAFE_OS_MACHINE_X86_64_H

static inline long sys6(long n, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8),
			   "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

#define LEAST_STACK_BYTES 2048

static inline void machine_relax(void)
{
	__builtin_ia32_pause();
}

#define FLAG_AC (UINT64_C(1) << 18)

/* Does the kernel know protection keys? Written by machine_start(). */
extern bool machine_has_keys;

static inline void machine_allow_accesses(void)
{
	uint64_t flags = __builtin_ia32_readeflags_u64();

	if (unlikely(flags & FLAG_AC))
		__builtin_ia32_writeeflags_u64(flags & ~FLAG_AC);
	if (machine_has_keys)
		__asm__ volatile("wrpkru" ::"a"(0), "c"(0), "d"(0) : "memory");
}

static inline bool machine_cas16(void *p, uint64_t *low, uint64_t *high,
				 uint64_t new_low, uint64_t new_high)
{
	bool done;

	__asm__ volatile("lock cmpxchg16b %1"
			 : "=@ccz"(done), "+m"(*(unsigned __int128 *)p),
			   "+a"(*low), "+d"(*high)
			 : "b"(new_low), "c"(new_high)
			 : "memory");
	return done;
}

#define MACHINE_LOAD "movq %1, %0"

/* Emulators enter handlers with a stack 8 bytes off: qemu-user up to 7.2. */
#define MACHINE_ALIGNS_STACK __attribute__((force_align_arg_pointer))

static inline uintptr_t machine_code_address(uintptr_t address)
{
	return address;
}

enum {
	REGISTER_FP = 6,
	REGISTER_SP = 7,
	REGISTER_PC = 16,
	REGISTER_COUNT
};

#define RETURN_COLUMN REGISTER_PC

/* All that keep their value through a call. */
enum row_register {
	ROW_SP,
	ROW_FP,
	ROW_BX,
	ROW_12,
	ROW_13,
	ROW_14,
	ROW_15,
	ROW_REGISTERS
};

#define RETURN_IS_ON_STACK true
#define ROW_RETURN	   ROW_REGISTERS
#define ROW_SAVED_BITS	   6

static inline __attribute__((always_inline)) void
read_registers_here(uint64_t *value)
{
	/* One step: a stack pointer belongs to one program counter. */
	__asm__ volatile("movq %%rbx, 24(%0)\n\t"
			 "movq %%rbp, 48(%0)\n\t"
			 "movq %%rsp, 56(%0)\n\t"
			 "movq %%r12, 96(%0)\n\t"
			 "movq %%r13, 104(%0)\n\t"
			 "movq %%r14, 112(%0)\n\t"
			 "movq %%r15, 120(%0)\n\t"
			 "leaq 0(%%rip), %%rax\n\t"
			 "movq %%rax, 128(%0)"
			 :
			 : "r"(value)
			 : "rax", "memory");
}

/* mov $15, %rax; syscall. Every libc's are these. */
#define SIGRETURN_CODE	     "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05"
#define SIGRETURN_CODE_BYTES 9
#define SIGRETURN_CONTEXT    0

static inline uintptr_t context_pc(const ucontext_t *uc)
{
	return (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
}

static inline void context_set_pc(ucontext_t *uc, uintptr_t pc)
{
	uc->uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
}

static inline uintptr_t context_sp(const ucontext_t *uc)
{
	return (uintptr_t)uc->uc_mcontext.gregs[REG_RSP];
}

/* Below the red zone of the ABI. */
static inline uintptr_t context_frame_top(const ucontext_t *uc)
{
	return context_sp(uc) - 128;
}

/* 8: uc_link. */
#define NOTE_AND_GO_ON(noted, go_on)                                           \
	"movq " #noted "@gottpoff(%rip), %rax\n\t"                             \
	"movq %fs:(%rax), %rcx\n\t"                                            \
	"movq %rcx, 8(%rdx)\n\t"                                               \
	"movq %rdx, %fs:(%rax)\n\t"                                            \
	"jmp " #go_on "\n\t"

/* Linux 6.12: "x86/pkeys: Restore altstack access in sigreturn()" */
#define STACK_IS_RESTORED_FIRST_SINCE 0x60c

#define CALL_BYTES 2 /* syscall: 0f 05 */

static inline bool is_call_instruction(const uint8_t *code)
{
	return code[0] == 0x0f && code[1] == 0x05;
}

/* The instruction leaves in rcx where it returns to. */
static inline bool context_is_after_call(const ucontext_t *uc)
{
	const uint8_t *pc = (const uint8_t *)context_pc(uc);

	return uc->uc_mcontext.gregs[REG_RCX] == (greg_t)context_pc(uc) &&
	       is_call_instruction(pc - CALL_BYTES);
}

static inline long context_call_again(const ucontext_t *uc)
{
	const uint8_t *pc = (const uint8_t *)context_pc(uc);

	if (uc->uc_mcontext.gregs[REG_RCX] !=
		    (greg_t)(context_pc(uc) + CALL_BYTES) ||
	    !is_call_instruction(pc))
		return -1;
	return uc->uc_mcontext.gregs[REG_RAX];
}

static inline void context_repeat_call(ucontext_t *uc, long number, long first)
{
	uc->uc_mcontext.gregs[REG_RIP] -= CALL_BYTES;
	uc->uc_mcontext.gregs[REG_RAX] = number;
	uc->uc_mcontext.gregs[REG_RDI] = first;
}

static inline void context_leave_call(ucontext_t *uc, long result)
{
	uc->uc_mcontext.gregs[REG_RIP] += CALL_BYTES;
	uc->uc_mcontext.gregs[REG_RAX] = result;
}

static inline void context_set_result(ucontext_t *uc, long result)
{
	uc->uc_mcontext.gregs[REG_RAX] = result;
}

static inline long context_result(const ucontext_t *uc)
{
	return uc->uc_mcontext.gregs[REG_RAX];
}

static const uint8_t context_arguments[] = { REG_RDI, REG_RSI, REG_RDX,
					     REG_R10 };

static inline long context_argument(const ucontext_t *uc, int which)
{
	return uc->uc_mcontext.gregs[context_arguments[which]];
}

static inline long context_first_argument(const ucontext_t *uc)
{
	return context_argument(uc, 0);
}

static inline void context_move_argument(ucontext_t *uc, int which, long by)
{
	uc->uc_mcontext.gregs[context_arguments[which]] += by;
}

static inline bool context_is_broken_call(const ucontext_t *uc)
{
	return context_result(uc) == -EINTR && context_is_after_call(uc);
}

/* The longest: ff, two bytes on where the address is, and four of that. */
#define MACHINE_CALL_BYTES 7

/*
 * Of ff /2, 0 of another instruction (Intel's Software Developer's Manual,
 * volume 2, "ModR/M and SIB Bytes").
 */
static inline int indirect_call_bytes(const uint8_t *code)
{
	unsigned mode = code[1] >> 6, base = code[1] & 7;
	bool has_index = mode != 3 && base == 4;
	int bytes = 2 + has_index;

	if (code[0] != 0xff || (code[1] >> 3 & 7) != 2)
		return 0;
	if (has_index)
		base = code[2] & 7;
	if (mode == 2 || (mode == 0 && base == 5))
		return bytes + 4;
	return bytes + (mode == 1);
}

static inline bool machine_follows_call(const uint8_t *next)
{
	if (next[-5] == 0xe8)
		return true;
	for (int bytes = 2; bytes <= MACHINE_CALL_BYTES; bytes++)
		if (indirect_call_bytes(next - bytes) == bytes)
			return true;
	return false;
}

static inline uintptr_t next_plus(const uint8_t *next, uintptr_t address)
{
	int32_t distance;

	__builtin_memcpy(&distance, next - sizeof(distance), sizeof(distance));
	return address + (uintptr_t)(intptr_t)distance;
}

static inline uintptr_t machine_call_target(const uint8_t *next,
					    uintptr_t address)
{
	return next[-5] == 0xe8 ? next_plus(next, address) : 0;
}

/* endbr64; bnd jmp *slot(%rip): the longest of what linkers write. */
#define MACHINE_JUMP_BYTES 11

static inline uintptr_t machine_jump_slot(const uint8_t *code,
					  uintptr_t address)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	unsigned at = 0;

	if (__builtin_memcmp(code, endbr64, sizeof(endbr64)) == 0)
		at = sizeof(endbr64);
	at += code[at] == 0xf2;
	if (code[at] != 0xff || code[at + 1] != 0x25)
		return 0;
	at += 6;
	return next_plus(code + at, address + at);
}

#define VDSO_CLOCK "__vdso_clock_gettime"

#define UNWIND_LIBRARY	  "libunwind-x86_64.so.8"
#define UNWIND_NAME(name) "_Ux86_64_" name
#define UNWIND_IMPORTS	  "_Ux86_64_setcontext"

#define IS_IMPORT_RELOCATION(type)                                             \
	((type) == R_X86_64_GLOB_DAT || (type) == R_X86_64_JUMP_SLOT)
#define IS_OTHER_RELOCATION(type)                                              \
	((type) == R_X86_64_RELATIVE || (type) == R_X86_64_DTPMOD64)

#endif
