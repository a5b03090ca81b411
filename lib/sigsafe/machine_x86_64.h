/*
 * x86-64: see machine.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_MACHINE_X86_64_H
#define SIGSAFE_MACHINE_X86_64_H

#include <errno.h>
#include <ucontext.h>

#include "base/units.h"

/* A system call that leaves errno alone: the result, or -errno. */
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

static inline void machine_relax(void)
{
	__builtin_ia32_pause();
}

/*
 * One 16-byte step: true when *p was {*low, *high} and is now {new_low,
 * new_high}; else *low and *high are what it was. Full barrier.
 */
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

/*
 * Calls function(argument) on the stack that ends at top (16-aligned), and
 * comes back to this one. Can be unwound through.
 */
void machine_call_on(void *top, void (*function)(void *), void *argument);

/* The registers by their DWARF numbers, the program counter as the last. */
enum {
	REGISTER_BX = 3,
	REGISTER_FP = 6,
	REGISTER_SP = 7,
	REGISTER_12 = 12,
	REGISTER_PC = 16,
	REGISTER_COUNT
};

struct registers {
	uint64_t value[REGISTER_COUNT];
};

/* The registers at interrupted. */
void registers_from(struct registers *r, const ucontext_t *interrupted);

/*
 * The registers of the calling function, as far as a caller's can be found
 * from them. Right until it returns, so always inlined.
 */
static inline __attribute__((always_inline)) void
registers_here(struct registers *r)
{
	uint64_t *value = r->value;

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

/*
 * The instructions a signal handler returns to: mov $15, %rax; syscall. Every
 * libc's are these, since debuggers and unwinders know it by them.
 */
#define SIGRETURN_CODE	     "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05"
#define SIGRETURN_CODE_BYTES 9

static inline uintptr_t context_pc(const ucontext_t *uc)
{
	return (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
}

static inline uintptr_t context_sp(const ucontext_t *uc)
{
	return (uintptr_t)uc->uc_mcontext.gregs[REG_RSP];
}

static inline uintptr_t context_fp(const ucontext_t *uc)
{
	return (uintptr_t)uc->uc_mcontext.gregs[REG_RBP];
}

/* Did the signal break a system call that now returns EINTR? */
static inline bool context_is_broken_call(const ucontext_t *uc)
{
	const uint8_t *pc = (const uint8_t *)context_pc(uc);

	return uc->uc_mcontext.gregs[REG_RAX] == -EINTR && pc[-2] == 0x0f &&
	       pc[-1] == 0x05;
}

#endif
