/*
 * aarch64: what does not fit in a header, see machine.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/os/machine.h"

#include <string.h>

#include "sigsafe/os/memory.h"

#if defined(__aarch64__)

void machine_start(void)
{
}

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

/* adrp x16; ldr x17, [x16, ...]; add x16, x16, ...; br x17 */
static const struct pattern {
	uint32_t mask, code;
} linkage[] = {
	{ 0x9f00001f, 0x90000010 },
	{ 0xffc003ff, 0xf9400211 },
	{ 0xffc003ff, 0x91000210 },
	{ 0xffffffff, 0xd61f0220 },
};

/* Before them in the first entry: stp x16, x30, [sp, #-16]! */
#define PUSH 0xa9bf7bf0

static bool is_linkage(const uint32_t *code)
{
	for (size_t i = 0; i < ARRAY_SIZE(linkage); i++)
		if ((code[i] & linkage[i].mask) != linkage[i].code)
			return false;
	return true;
}

int machine_linkage_words(uintptr_t pc, uintptr_t start, uintptr_t end)
{
	const size_t bytes = sizeof(uint32_t) * ARRAY_SIZE(linkage);
	uint32_t around[2 * ARRAY_SIZE(linkage) + 1];
	const uint32_t *code = around + ARRAY_SIZE(linkage);

	if (pc % sizeof(uint32_t) || pc < start + bytes ||
	    pc + bytes + 4 > end ||
	    !memory_copy(around, (const void *)(pc - bytes), sizeof(around)))
		return -1;
	if (*code == PUSH)
		return is_linkage(code + 1) ? 0 : -1;
	for (size_t i = 0; i < ARRAY_SIZE(linkage); i++)
		if (is_linkage(code - i))
			return code[-(ptrdiff_t)i - 1] == PUSH ? 2 : 0;
	return -1;
}

/* bl: others call what is in a register. */
bool machine_is_direct_call(uint64_t code)
{
	return code >> 58 == 0x25;
}

/* That takes two instructions here, and others may come in between. */
uintptr_t machine_loaded_from(uint64_t code, uintptr_t pc)
{
	(void)code;
	(void)pc;
	return 0;
}

void registers_from(struct registers *r, const ucontext_t *interrupted)
{
	const mcontext_t *context = &interrupted->uc_mcontext;

	for (int i = 0; i <= REGISTER_LR; i++)
		r->value[i] = context->regs[i];
	r->value[REGISTER_SP] = context->sp;
	r->value[REGISTER_PC] = context->pc;
}

/*
 * The frame of a signal, as in the kernel's arch/arm64/kernel/signal.c. What
 * does not fit in mcontext.__reserved follows, and one of the records in there
 * points to it. Above lies a frame record that leads to the interrupted frame.
 */
struct frame {
	siginfo_t info;
	ucontext_t uc;
};

struct frame_record {
	uint64_t fp, lr;
};

/* Its record of what follows, or NULL. */
static struct extra_context *extra_of(struct frame *frame)
{
	char *at = (char *)frame->uc.uc_mcontext.__reserved;
	char *end = at + sizeof(frame->uc.uc_mcontext.__reserved);
	struct _aarch64_ctx *head = (void *)at;

	for (; at < end && head->magic; at += head->size, head = (void *)at)
		if (head->magic == EXTRA_MAGIC)
			return (void *)head;
	return NULL;
}

/* It lies right above the frame. */
static struct frame_record *record_of(struct frame *frame)
{
	const struct extra_context *extra = extra_of(frame);
	uintptr_t end = extra ? extra->datap + extra->size
			      : (uintptr_t)frame + sizeof(*frame);

	return (void *)((end + 15) & ~(uintptr_t)15);
}

void *machine_move_signal_frame(void *context, const struct frame_move *move)
{
	struct frame *from =
		(void *)((char *)context - offsetof(struct frame, uc));
	const mcontext_t *machine = &from->uc.uc_mcontext;
	size_t bytes = (uintptr_t)record_of(from) - (uintptr_t)from;
	const struct frame_record record = {
		.fp = machine->regs[REGISTER_FP],
		.lr = machine->regs[REGISTER_LR],
	};
	uintptr_t above = (move->top - sizeof(record)) & ~(uintptr_t)15;
	struct frame *to = (void *)(above - bytes);
	struct extra_context *extra;

	if ((uintptr_t)to <= move->floor ||
	    (move->is_tried &&
	     !memory_can_be_written(to, bytes + sizeof(record))) ||
	    !machine_copy((void *)above, &record, sizeof(record)) ||
	    !machine_copy(to, from, bytes))
		return NULL;
	extra = extra_of(to);
	if (extra)
		extra->datap += (uintptr_t)to - (uintptr_t)from;
	return &to->uc;
}

_Noreturn void machine_enter_handler(int sig, void *context,
				     const void *way_back,
				     machine_handler *enter)
{
	struct frame *frame =
		(void *)((char *)context - offsetof(struct frame, uc));
	struct frame_record *record = record_of(frame);
	/* No call in between: that would use the same registers. */
	register long x0 __asm__("x0") = sig;
	register void *x1 __asm__("x1") = &frame->info;
	register void *x2 __asm__("x2") = &frame->uc;
	register machine_handler *x16 __asm__("x16") = enter;
	register const void *x30 __asm__("x30") = way_back;

	__asm__ volatile("mov sp, %0\n\t"
			 "mov x29, %1\n\t"
			 "br x16"
			 :
			 : "r"(frame), "r"(record), "r"(x0), "r"(x1), "r"(x2),
			   "r"(x16), "r"(x30)
			 : "memory");
	__builtin_unreachable();
}

const siginfo_t *context_handlers_info(const ucontext_t *uc)
{
	return (const siginfo_t *)uc->uc_mcontext.regs[1];
}

void *context_handlers_context(const ucontext_t *uc)
{
	return (void *)uc->uc_mcontext.regs[2];
}

void context_move_handler(ucontext_t *uc, void *context)
{
	struct frame *frame =
		(void *)((char *)context - offsetof(struct frame, uc));

	uc->uc_mcontext.sp = (uint64_t)frame;
	uc->uc_mcontext.regs[0] = (unsigned int)frame->info.si_signo;
	uc->uc_mcontext.regs[1] = (uint64_t)&frame->info;
	uc->uc_mcontext.regs[2] = (uint64_t)context;
	uc->uc_mcontext.regs[REGISTER_FP] = (uint64_t)record_of(frame);
}

void context_restart_handler(ucontext_t *uc, machine_handler *handler,
			     const void *way_back)
{
	uc->uc_mcontext.pc = (uint64_t)handler;
	uc->uc_mcontext.regs[REGISTER_LR] = (uint64_t)way_back;
}

__asm__(".text\n"
	".p2align 2\n"
	".globl machine_copy, machine_copy_faults, machine_copy_fails\n"
	".hidden machine_copy, machine_copy_faults, machine_copy_fails\n"
	".type machine_copy, %function\n"
	"machine_copy:\n\t"
	".cfi_startproc\n\t"
	"cbz x2, 1f\n\t"
	"ldp x3, x4, [x1], #16\n"
	"machine_copy_faults:\n\t"
	"stp x3, x4, [x0], #16\n\t"
	"sub x2, x2, #16\n\t"
	"b machine_copy\n"
	"1:\n\t"
	"mov w0, #1\n\t"
	"ret\n"
	"machine_copy_fails:\n\t"
	"mov w0, #0\n\t"
	"ret\n\t"
	".cfi_endproc\n\t"
	".size machine_copy, . - machine_copy\n");

#define SVC_0 UINT32_C(0xd4000001)

static bool is_svc(uintptr_t address)
{
	return memory_is_readable((const void *)address, sizeof(uint32_t)) &&
	       *(const uint32_t *)address == SVC_0;
}

/*
 * Broken, it either returns EINTR or is about to be made again. The kernel
 * leaves the number in its register.
 */
enum call_state context_call(const ucontext_t *uc, long *number)
{
	const mcontext_t *machine = &uc->uc_mcontext;

	*number = (long)machine->regs[8];
	if (is_svc(machine->pc))
		return CALL_INTERRUPTED;
	if (!is_svc(machine->pc - sizeof(uint32_t)))
		return CALL_OUTSIDE;
	return (int64_t)machine->regs[0] == -EINTR ? CALL_INTERRUPTED
						   : CALL_RETURNED;
}

#endif
