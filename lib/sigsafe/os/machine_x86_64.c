/*
 * x86-64: what does not fit in a header, see machine.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/os/machine.h"

#include <string.h>

#include "sigsafe/os/memory.h"

#if defined(__x86_64__)
#include <cpuid.h>

bool machine_has_keys;

void machine_start(void)
{
	unsigned a, b, c, d;

	machine_has_keys =
		__get_cpuid_count(7, 0, &a, &b, &c, &d) && c & bit_OSPKE;
}

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

const uint8_t row_register_number[ROW_REGISTERS] = { 7, 6, 3, 12, 13, 14, 15 };

const uint8_t row_register_of[REGISTER_COUNT] = {
	ROW_REGISTERS, ROW_REGISTERS, ROW_REGISTERS,
	ROW_BX,	       ROW_REGISTERS, ROW_REGISTERS,
	ROW_FP,	       ROW_SP,	      [8 ... 11] = ROW_REGISTERS,
	ROW_12,	       ROW_13,	      ROW_14,
	ROW_15,	       ROW_REGISTERS,
};

/* Linkers write rules for all of it. */
int machine_linkage_words(uintptr_t pc, uintptr_t start, uintptr_t end)
{
	(void)pc;
	(void)start;
	(void)end;
	return -1;
}

/* e8 rel32, ff 15 rel32: unless they are in front of an ff /2 that is short. */
bool machine_is_direct_call(uint64_t code)
{
	uint64_t last_two = code >> 48 & 0xf8ff, third = code >> 40 & 0xf8ff;

	if (last_two == 0xd0ff || last_two == 0x10ff || third == 0x50ff)
		return false;
	return (code >> 24 & 0xff) == 0xe8 || (code >> 16 & 0xffff) == 0x15ff;
}

/* 8b /r with a rel32, behind its REX prefix. */
uintptr_t machine_loaded_from(uint64_t code, uintptr_t pc)
{
	int32_t distance = (int32_t)(code >> 16);

	return (code & 0xc7ff) == 0x058b ? pc + 6 + (uintptr_t)distance : 0;
}

#define IN_CONTEXT(greg) offsetof(ucontext_t, uc_mcontext.gregs[greg])

const uint16_t row_register_in_context[ROW_REGISTERS + 1] = {
	IN_CONTEXT(REG_RSP), IN_CONTEXT(REG_RBP), IN_CONTEXT(REG_RBX),
	IN_CONTEXT(REG_R12), IN_CONTEXT(REG_R13), IN_CONTEXT(REG_R14),
	IN_CONTEXT(REG_R15), IN_CONTEXT(REG_RIP),
};

_Static_assert(REGISTER_COUNT == 17, "what greg[] names");

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

/*
 * The frame of a signal, as in the kernel's arch/x86/include/asm/sigframe.h and
 * arch/x86/kernel/signal_64.c. 16-aligned behind its first word. Above it, and
 * 64-aligned, lies the extended state, to which mcontext.fpregs points; above
 * that the red zone of the interrupted code.
 */
struct frame {
	void (*way_back)(void);
	struct {
		unsigned long flags;
		ucontext_t *link;
		stack_t stack;
		uint64_t mcontext[32];
		uint64_t mask;
	} uc; /* libc's is longer */
	siginfo_t info;
};

_Static_assert(sizeof(struct frame) == 440, "the kernel's layout");

#define SIMPLE_FP_BYTES 512

/* XSAVE's is longer than FXSAVE's, and says so in its unused part. */
static size_t extended_state_bytes(const struct _libc_fpstate *fp)
{
	struct _fpx_sw_bytes says;

	memcpy(&says, (const char *)fp + SIMPLE_FP_BYTES - sizeof(says),
	       sizeof(says));
	return says.magic1 == FP_XSTATE_MAGIC1 ? says.extended_size
					       : SIMPLE_FP_BYTES;
}

static uintptr_t below(uintptr_t address, size_t bytes, size_t alignment)
{
	return (address - bytes) & ~(alignment - 1);
}

void *machine_move_signal_frame(void *context, const struct frame_move *move)
{
	struct frame *from =
		(void *)((char *)context - offsetof(struct frame, uc));
	mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;
	size_t fp_bytes = extended_state_bytes(machine->fpregs);
	uintptr_t fp = below(move->top, fp_bytes, 64);
	struct frame *to =
		(void *)(below(fp, sizeof(*to), 16) - sizeof(to->way_back));
	ucontext_t *moved = (void *)&to->uc;

	if ((uintptr_t)to <= move->floor ||
	    (move->is_tried &&
	     !memory_can_be_written(to, fp + fp_bytes - (uintptr_t)to)) ||
	    !machine_copy((void *)fp, machine->fpregs, fp_bytes) ||
	    !machine_copy(to, from, sizeof(*to)))
		return NULL;
	moved->uc_mcontext.fpregs = (void *)fp;
	return moved;
}

_Noreturn void machine_enter_handler(int sig, void *context,
				     const void *way_back,
				     machine_handler *enter)
{
	const struct frame *frame =
		(void *)((char *)context - offsetof(struct frame, uc));

	(void)way_back; /* has moved with the frame */
	__asm__ volatile("movq %0, %%rsp\n\t"
			 "jmpq *%1"
			 :
			 : "r"(frame), "r"(enter), "D"(sig), "S"(&frame->info),
			   "d"(context)
			 : "memory");
	__builtin_unreachable();
}

const siginfo_t *context_handlers_info(const ucontext_t *uc)
{
	return (const siginfo_t *)uc->uc_mcontext.gregs[REG_RSI];
}

void *context_handlers_context(const ucontext_t *uc)
{
	return (void *)uc->uc_mcontext.gregs[REG_RDX];
}

void context_move_handler(ucontext_t *uc, void *context)
{
	const struct frame *frame =
		(void *)((char *)context - offsetof(struct frame, uc));

	uc->uc_mcontext.gregs[REG_RSP] = (greg_t)frame;
	uc->uc_mcontext.gregs[REG_RDI] = frame->info.si_signo;
	uc->uc_mcontext.gregs[REG_RSI] = (greg_t)&frame->info;
	uc->uc_mcontext.gregs[REG_RDX] = (greg_t)context;
}

void context_restart_handler(ucontext_t *uc, machine_handler *handler,
			     const void *way_back)
{
	(void)way_back; /* is in the frame */
	uc->uc_mcontext.gregs[REG_RIP] = (greg_t)handler;
}

/* A call has put nothing on the stack but where it returns to. */
__asm__(".text\n"
	".p2align 4\n"
	".globl machine_copy, machine_copy_faults, machine_copy_fails\n"
	".hidden machine_copy, machine_copy_faults, machine_copy_fails\n"
	".type machine_copy, @function\n"
	"machine_copy:\n\t"
	".cfi_startproc\n\t"
	"movq %rdx, %rcx\n"
	"machine_copy_faults:\n\t"
	"rep movsb\n\t"
	"movl $1, %eax\n\t"
	"ret\n"
	"machine_copy_fails:\n\t"
	"xorl %eax, %eax\n\t"
	"ret\n\t"
	".cfi_endproc\n\t"
	".size machine_copy, . - machine_copy\n");

/*
 * How far before its system call glibc loads the number: next to it mostly,
 * and a few moves of arguments before it at most.
 */
#define NUMBER_REACH 24u

/* The code in front of pc, as far as it can be read and is of use. */
struct code {
	const uint8_t *end;
	ptrdiff_t bytes;
};

static bool can_read_before(uintptr_t pc, size_t bytes)
{
	return bytes && pc > bytes &&
	       memory_is_readable((const void *)(pc - bytes), bytes);
}

static struct code code_before(uintptr_t pc)
{
	size_t on_page = pc % PAGE_BYTES;
	struct code code = { (const uint8_t *)pc, 0 };

	if (can_read_before(pc, NUMBER_REACH))
		code.bytes = NUMBER_REACH;
	else if (on_page < NUMBER_REACH && can_read_before(pc, on_page))
		code.bytes = (ptrdiff_t)on_page;
	return code;
}

/* mov $number,%eax: b8 and four bytes; for 0, xor %eax,%eax: 31 c0 */
static long number_before(const struct code *code)
{
	const uint8_t *call = code->end - 2;
	ptrdiff_t room = code->bytes - 2;

	if (room >= 2 && call[-2] == 0x31 && call[-1] == 0xc0)
		return 0;
	for (ptrdiff_t i = 5; i <= room; i++) {
		const uint8_t *mov = call - i;

		if (*mov == 0xb8 && !mov[3] && !mov[4])
			return mov[1] | mov[2] << 8;
	}
	return -1;
}

/*
 * Broken, it either returns EINTR or is about to be made again: then its number
 * is back in its register. Otherwise the result is there, and the number is
 * read from the code.
 */
enum call_state context_call(const ucontext_t *uc, long *number)
{
	long long result = uc->uc_mcontext.gregs[REG_RAX];
	uintptr_t pc = context_pc(uc);
	struct code code;

	*number = -1;
	if (memory_is_readable((const void *)pc, 2) &&
	    is_call_instruction((const uint8_t *)pc)) {
		*number = (long)result;
		return CALL_INTERRUPTED;
	}
	code = code_before(pc);
	if (code.bytes < 2 || !is_call_instruction(code.end - 2))
		return CALL_OUTSIDE;
	*number = number_before(&code);
	return result == -EINTR ? CALL_INTERRUPTED : CALL_RETURNED;
}

#endif
