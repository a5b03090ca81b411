/*
 * The one door to the processor. Each has one pair of files, machine_NAME.h and
 * machine_NAME.c, and nothing else asks which it is (scripts/check-includes).
 * They define what is declared or described here. Signal-safe.
 *
 * In the header of each:
 *
 *   sys6()                    a system call that leaves errno alone: the
 *                             result, or -errno
 *   machine_relax()           what to do between two looks at a lock
 *   machine_allow_accesses()  in a handler of ours: the interrupted code may
 *                             have forbidden accesses that are not aligned,
 *                             and the kernel those of memory with a protection
 *                             key (pkeys(7)); behind the handler all is as it
 *                             was
 *   machine_cas16()           one 16-byte step: true when *p was {*low, *high}
 *                             and is now {new_low, new_high}; else these two
 *                             are what it was. Full barrier
 *   MACHINE_LOAD              the instruction that loads a word, operand 1,
 *                             into a register, operand 0
 *   machine_code_address()    a return address without its signature, if the
 *                             processor signs them
 *   context_pc()              the program counter of what was interrupted
 *   context_set_pc()          where that is to go on
 *   context_sp()              its stack pointer
 *   context_frame_top()       where a signal's frame on that stack ends
 *   context_is_broken_call()  did the signal break a system call, which now
 *                             returns EINTR?
 *   context_is_after_call()   was it interrupted right behind a system call?
 *   context_result()          then: what that returns, or -errno
 *   context_set_result()
 *   context_argument()        and its arguments 1 to 3 (from 0 on)
 *   context_move_argument()   adds to one of them
 *   context_first_argument()  behind the call: argument 0, where that can still
 *                             be told; or -1
 *   context_repeat_call()     makes that call once more, after the handler
 *   context_call_again()      the number of the call that the kernel is about
 *                             to make once more after the handler, or -1
 *   context_leave_call()      makes a call that is about to be made return
 *                             this result instead
 *
 *   NOTE_AND_GO_ON()          see MACHINE_NOTING_ENTRY() below
 *
 * Registers have their DWARF numbers; the program counter has the last one:
 *
 *   REGISTER_FP, REGISTER_SP, REGISTER_PC, REGISTER_COUNT
 *   RETURN_COLUMN             the number that unwind tables know the return
 *                             address by
 *   read_registers_here()     see registers_here() below
 *
 * A row (sigsafe/walk/unwind_row.h) follows some of them, by an enum
 * row_register:
 *
 *   ROW_SP, ROW_FP            the first two
 *   ROW_REGISTERS             their count
 *   RETURN_IS_ON_STACK        do calls leave it there, right below the CFA?
 *   ROW_RETURN                otherwise the register it is in; ROW_REGISTERS
 *   ROW_SAVED_BITS            for the place each is saved at
 *
 * The way back from a signal handler:
 *
 *   SIGRETURN_CODE            the instructions a handler returns to, which
 *   SIGRETURN_CODE_BYTES      debuggers and unwinders know it by
 *   SIGRETURN_CONTEXT         from the stack pointer there to the ucontext_t
 *
 * Of alternate stacks:
 *
 *   LEAST_STACK_BYTES         shorter ones are refused: the kernel's
 * MINSIGSTKSZ
 *
 * In the vDSO:
 *
 *   VDSO_CLOCK                the name of its clock_gettime()
 *
 * And for libunwind:
 *
 *   UNWIND_LIBRARY            its name
 *   UNWIND_NAME()             those of its functions
 *   UNWIND_IMPORTS            what it needs on this machine only
 *   IS_IMPORT_RELOCATION()    is a relocation of this type a symbol's address?
 *   IS_OTHER_RELOCATION()     is it a known type without a symbol?
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_OS_MACHINE_H
#define SIGSAFE_OS_MACHINE_H

#include <errno.h>
#include <signal.h>
#include <ucontext.h>

#include "base/cause.h"
#include "base/units.h"

#if defined(__x86_64__)
#include "sigsafe/os/machine_x86_64.h"
#elif defined(__aarch64__)
#include "sigsafe/os/machine_aarch64.h"
#else
#error "stallshim knows x86-64 and aarch64"
#endif

/* Learns what this processor has. Called once, at the start. */
void machine_start(void);

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
	read_registers_here(r->value);
}

/*
 * Was a system call interrupted, or has one just returned? *number is which, or
 * -1 where it can't be told. Handler only.
 */
enum call_state context_call(const ucontext_t *uc, long *number);

/* By row_register: the DWARF number. */
extern const uint8_t row_register_number[ROW_REGISTERS];

/* By DWARF number: the row_register; ROW_REGISTERS: rows do not follow it. */
extern const uint8_t row_register_of[REGISTER_COUNT];

/*
 * By row_register: where it lies in a ucontext_t, in bytes. The last one is
 * the program counter.
 */
extern const uint16_t row_register_in_context[ROW_REGISTERS + 1];

/*
 * Code that linkers write without unwind rules, the entries of a procedure
 * linkage table: the words it has put on the stack when it comes to pc, the
 * return address first of all; -1: there is no such code in [start, end).
 */
int machine_linkage_words(uintptr_t pc, uintptr_t start, uintptr_t end);

/*
 * Is the instruction in front of `next` a call? The machine's header says how
 * many bytes in front of it are looked at, MACHINE_CALL_BYTES, and the one
 * there. Data may look like one: of random bytes one in 50 does on x86-64.
 */
static inline bool machine_follows_call(const uint8_t *next);

/* Where it calls, if the instruction says so; 0. address: that of `next`. */
static inline uintptr_t machine_call_target(const uint8_t *next,
					    uintptr_t address);

/*
 * Where the address lies that code jumps to at once, as an entry of a procedure
 * linkage table does; 0: it does something else, or can't be told. code: a copy
 * of MACHINE_JUMP_BYTES of what is at address.
 */
static inline uintptr_t machine_jump_slot(const uint8_t *code,
					  uintptr_t address);

/*
 * Are the eight bytes of code in front of a return address a call of a fixed
 * function, or of one that a relative address in the code points to?
 */
bool machine_is_direct_call(uint64_t code);

/*
 * From where an instruction at pc, which begins with this code, takes a
 * register's value, if by a relative address. 0: another one, or not known.
 */
uintptr_t machine_loaded_from(uint64_t code, uintptr_t pc);

/*
 * Calls function(argument) on the stack that ends at top (16-aligned), and
 * comes back to this one. Can be unwound through.
 */
void machine_call_on(void *top, void (*function)(void *), void *argument);

/*
 * The word at address, of any alignment; 0 where that is a fault, which the
 * handler has found by machine_skip_read(). Costs what the load does: each is
 * in a table, with where to go on.
 */
static inline uint64_t machine_read(uintptr_t address)
{
	typedef uint64_t word __attribute__((aligned(1), may_alias));
	uint64_t read = 0;

	__asm__ __inline__ volatile(
		"1:	" MACHINE_LOAD "\n"
		"2:	.pushsection stallshim_reads, \"a\"\n\t"
		".balign 4\n\t"
		".long 1b - .\n\t"
		".long 2b - .\n\t"
		".popsection"
		: "+&r"(read)
		: "m"(*(const word *)address));
	return read;
}

/* Was it one of these that faulted? Then its result is 0. Handler only. */
bool machine_skip_read(ucontext_t *uc);

typedef void machine_handler(int sig, siginfo_t *info, void *context);

/* Where the frame of a signal is moved to. */
struct frame_move {
	uintptr_t top;	 /* its upper end, before alignment */
	uintptr_t floor; /* it must begin above; 0: anywhere */
	bool is_tried;	 /* first asks whether that can be written */
};

/*
 * Handler only, on an alternate stack: copies the frame of a signal (context in
 * it) to another stack, just as the kernel would have put it there. Returns the
 * context in that one; NULL: there is no room above the floor, or it can't be
 * written, and the frame is as it was.
 */
void *machine_move_signal_frame(void *context, const struct frame_move *move);

/*
 * Enters enter() with a frame that has been moved. That one's return is the
 * kernel's, to what was interrupted. The alternate stack is left for good.
 *
 * way_back: the return address of the handler that the frame was made for.
 */
_Noreturn void machine_enter_handler(int sig, void *context,
				     const void *way_back,
				     machine_handler *enter);

/*
 * Defines a handler that notes its context in a thread-local variable, and what
 * that was in the context's uc_link, and goes on at another: from name to
 * name_end all that it is given, and the stack, are as at its start.
 */
#define MACHINE_NOTING_ENTRY(name, noted, go_on)                               \
	__asm__(".text\n"                                                      \
		".p2align 4\n"                                                 \
		".globl " #name ", " #name "_end\n"                            \
		".hidden " #name ", " #name "_end\n"                           \
		".type " #name ", %function\n" #name ":\n\t"                   \
		".cfi_startproc\n\t" NOTE_AND_GO_ON(noted, go_on) #name        \
		"_end:\n\t"                                                    \
		".cfi_endproc\n\t"                                             \
		".size " #name ", . - " #name "\n")

/*
 * For context_pc() in a MACHINE_NOTING_ENTRY(): what that is given.
 */
const siginfo_t *context_handlers_info(const ucontext_t *uc);
void *context_handlers_context(const ucontext_t *uc);

/* It is given, and starts on, a frame that has been moved. */
void context_move_handler(ucontext_t *uc, void *context);

/*
 * Before that, where the handler has gone on from there: it is there again.
 * way_back: its return address.
 */
void context_restart_handler(ucontext_t *uc, machine_handler *handler,
			     const void *way_back);

/*
 * Copies these bytes, a multiple of 16 or (x86-64) any number; false: not all
 * could be written, which a handler has found by machine_leave_copy(): was it
 * this that faulted? Then it has failed when the handler returns.
 */
bool machine_copy(void *to, const void *from, size_t bytes);

extern const char machine_copy_faults[] __attribute__((visibility("hidden")));
extern const char machine_copy_fails[] __attribute__((visibility("hidden")));

static inline bool machine_leave_copy(ucontext_t *uc)
{
	if (context_pc(uc) != (uintptr_t)machine_copy_faults)
		return false;
	context_set_pc(uc, (uintptr_t)machine_copy_fails);
	return true;
}

#endif
