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

/* Calls function(argument) on the stack that ends at top (16-aligned). */
static inline void machine_call_on(void *top, void (*function)(void *),
				   void *argument)
{
	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "movq %0, %%rsp\n\t"
			 "callq *%1\n\t"
			 "movq %%rbx, %%rsp"
			 : "+r"(top), "+r"(function), "+D"(argument)
			 :
			 : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10",
			   "r11", "memory", "cc", "xmm0", "xmm1", "xmm2",
			   "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
			   "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
			   "xmm15");
}

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
