/*
 * Steps, by the processor's own trap flag; or where a program has none, by
 * breakpoints at whatever can come next.
 *
 * SPDX-License-Identifier: MIT
 */
#include "step_fixture.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "sigsafe/os/machine.h"
#include "sigsafe/os/memory.h"
#include "sigsafe/os/sys.h"

static void (*call_at_each)(const ucontext_t *context);
static volatile bool is_over;

static void on_trap(int sig, siginfo_t *info, void *context);

void fixture_begin_steps(void (*at_each)(const ucontext_t *context))
{
	struct sigaction action = { .sa_flags = SA_SIGINFO };

	action.sa_sigaction = on_trap;
	memset(&action.sa_mask, 0xff, sizeof(action.sa_mask));
	cr_assert_eq(sigaction(SIGTRAP, &action, NULL), 0);
	call_at_each = at_each;
	is_over = false;
}

void fixture_end_steps(void)
{
	is_over = true;
	__asm__ volatile("nop");
}

#if defined(__x86_64__)

bool fixture_is_returning(const ucontext_t *context)
{
	const uint8_t *code = (const uint8_t *)context_pc(context);

	return context->uc_mcontext.gregs[REG_RAX] == SYS_rt_sigreturn &&
	       code[0] == 0x0f && code[1] == 0x05;
}

static void on_trap(int sig, siginfo_t *info, void *argument)
{
	ucontext_t *context = argument;

	(void)sig;
	(void)info;
	if (is_over)
		context->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	else
		call_at_each(context);
}

#elif defined(__aarch64__)

#define BREAKPOINT_CODE 0xd4200000 /* brk #0 */

/* What breakpoints stand in for, while no handler of ours runs. */
static struct {
	uint32_t *at;
	uint32_t code;
} broken[2];
static unsigned breaks;

bool fixture_is_returning(const ucontext_t *context)
{
	/* These steps are left out. */
	(void)context;
	return false;
}

static void put_code(uint32_t *at, uint32_t code)
{
	uintptr_t page = (uintptr_t)at & ~(uintptr_t)(PAGE_BYTES - 1);

	sys3(SYS_mprotect, page, PAGE_BYTES,
	     PROT_READ | PROT_WRITE | PROT_EXEC);
	*at = code;
	__builtin___clear_cache((char *)at, (char *)(at + 1));
}

static void break_at(uintptr_t address)
{
	uint32_t *at = (uint32_t *)address;

	if (breaks && broken[0].at == at)
		return;
	broken[breaks].at = at;
	broken[breaks++].code = *at;
	put_code(at, BREAKPOINT_CODE);
}

static void mend(void)
{
	while (breaks) {
		breaks--;
		put_code(broken[breaks].at, broken[breaks].code);
	}
}

/* From pc by the signed number in `bits` of code from `low` on, in words. */
static uintptr_t target(uintptr_t pc, uint32_t code, unsigned low,
			unsigned bits)
{
	int32_t words = (int32_t)(code << (32 - low - bits)) >> (32 - bits);

	return pc + (uintptr_t)(intptr_t)words * sizeof(code);
}

/* Our own handler has the same: no breakpoint may stand there. */
static bool is_way_back(uintptr_t address)
{
	return memcmp((const void *)address, SIGRETURN_CODE,
		      SIGRETURN_CODE_BYTES) == 0;
}

static uintptr_t interrupted_at(uintptr_t sp)
{
	return context_pc((const ucontext_t *)(sp + SIGRETURN_CONTEXT));
}

/* Arm, "A64 instruction set": branches. No exclusive pair is stepped through:
 * it would never succeed. */
static void break_behind(const ucontext_t *context)
{
	const mcontext_t *machine = &context->uc_mcontext;
	uintptr_t pc = machine->pc;
	uint32_t code = *(const uint32_t *)pc;

	if ((code & 0x7c000000) == 0x14000000) { /* b, bl */
		break_at(target(pc, code, 0, 26));
		return;
	}
	if ((code & 0xff9ffc1f) == 0xd61f0000) { /* br, blr, ret */
		uintptr_t to = machine->regs[code >> 5 & 31];

		break_at(is_way_back(to) ? interrupted_at(machine->sp) : to);
		return;
	}
	break_at(pc + sizeof(code));
	if ((code & 0xff000010) == 0x54000000 || /* b.cond */
	    (code & 0x7e000000) == 0x34000000)	 /* cbz, cbnz */
		break_at(target(pc, code, 5, 19));
	else if ((code & 0x7e000000) == 0x36000000) /* tbz, tbnz */
		break_at(target(pc, code, 5, 14));
}

static void on_trap(int sig, siginfo_t *info, void *argument)
{
	ucontext_t *context = argument;

	(void)sig;
	(void)info;
	mend();
	if (*(const uint32_t *)context_pc(context) == FIRST_STEP) {
		context->uc_mcontext.pc += sizeof(uint32_t);
		break_at(context_pc(context));
		return;
	}
	if (is_over)
		return;
	call_at_each(context);
	break_behind(context);
}

#endif
