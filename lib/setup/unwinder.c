/*
 * The unwinder's start: chooses how stacks are taken.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/unwinder.h"

#include <stdio.h>
#include <sys/auxv.h>

#include "setup/at_fork.h"
#include "setup/libc_function.h"
#include "setup/libunwind.h"
#include "setup/preload.h"
#include "setup/seccomp.h"
#include "sigsafe/os/memory.h"
#include "sigsafe/stacks/alternate_stack.h"
#include "sigsafe/stacks/own_stack.h"
#include "sigsafe/walk/object.h"
#include "sigsafe/walk/stack.h"
#include "sigsafe/walk/walk_unwind.h"
#include "sigsafe/walk/walker.h"

/* The walk begins here, so the next frame must be this function's caller. */
struct trial {
	const struct registers *registers;
	uintptr_t caller;
	bool works;
};

static void try_walk(void *argument)
{
	struct trial *trial = argument;
	struct walk walk;

	walk_begin(&walk, NULL, trial->caller, 1, NULL);
	walk_unwind(&walk, trial->registers);
	trial->works = walk.depth == 1;
}

__attribute__((noinline)) static bool walker_works(void)
{
	struct registers registers;
	struct trial trial = {
		.registers = &registers,
		.caller = (uintptr_t)__builtin_return_address(0),
	};
	enum lost_reason why;

	registers_here(&registers);
	return walker_run(try_walk, &trial, false, &why) && trial.works;
}

/* NULL, or why unwind tables can't be used. */
static const char *prepare_unwind_tables(void)
{
	const char *why;

	if (!object_can_be_found())
		return "this libc has no _dl_find_object";
	why = libunwind_load();
	if (why)
		return why;
	if (!walker_works())
		return "libunwind does not find its own caller";
	if (at_fork(walker_before_fork, walker_after_fork_in_parent,
		    walker_after_fork_in_child))
		return "forks can't be waited for";
	return NULL;
}

/* The section of CONTINUES_A_CALL, by the linker; unit tests have none. */
extern const char __start_stallshim_continues[] __attribute__((weak));
extern const char __stop_stallshim_continues[] __attribute__((weak));

/* Where the shim is a part of the program, as in unit tests, all is kept. */
static void leave_out_own_frames(void)
{
	struct object own;

	if (!object_find((uintptr_t)unwinder_start, &own) || !*own.map->l_name)
		return;
	walk_leave_out(own.start, own.end);
	walk_leave_out_called((uintptr_t)__start_stallshim_continues,
			      (uintptr_t)__stop_stallshim_continues);
}

/* Where the kernel put the first thread's stack; glibc's alone, too. */
extern void *__libc_stack_end __attribute__((weak));

/* What it makes for handlers are no kernel's frames: they can't be moved. */
#define VALGRIND "/vgpreload_core"

void unwinder_prepare(char **environment, unsigned depth)
{
	machine_start();
	memory_start(seccomp_allows_copies());
	object_find_by((object_finder *)libc_function("_dl_find_object",
						      "GLIBC_2.35"));
	object_note_program();
	if (&__libc_stack_end)
		own_stack_note_first((uintptr_t)__libc_stack_end);
	leave_out_own_frames();
	if (!preload_has(environment, VALGRIND))
		alternate_stack_start(getauxval(AT_MINSIGSTKSZ));
	stack_start(STACK_FIRST_FRAME, depth);
}

const char *unwinder_start(enum unwind_choice choice, unsigned depth)
{
	static char sentence[160];
	const char *why = NULL;

	if (walker_start() || !memory_can_be_probed(walker_guard_page())) {
		stack_start(STACK_FIRST_FRAME, depth);
		return "memory can't be probed here, so stacks are one frame";
	}
	if (choice != UNWIND_FP)
		why = prepare_unwind_tables();
	stack_start(choice == UNWIND_FP || why ? STACK_FRAME_POINTERS
					       : STACK_UNWIND_TABLES,
		    depth);
	if (!why)
		return object_can_be_found()
			       ? NULL
			       : "this libc has no _dl_find_object, so stacks "
				 "have no names";
	snprintf(sentence, sizeof(sentence),
		 "%s, so stacks follow frame pointers only", why);
	return sentence;
}
