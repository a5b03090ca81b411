/*
 * Walks by rows, instruction by instruction: the processor is made to trap
 * at each one, and the stack it is at is walked in the trap's handler. By
 * rows alone it must be the same as by libunwind, and must end as the stack of
 * whoever called the code that is stepped through.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "machine_fixture.h"
#include "sigsafe/live.h"
#include "sigsafe/record/modules.h"
#include "sigsafe/walk/walk_rows.h"
#include "sigsafe/walk/walk_unwind.h"
#include "sigsafe/walk/walker.h"
#include "stack_fixture.h"
#include "step_fixture.h"

/* It blocks every signal in every handler: a trap would be the end. */
#if defined(__SANITIZE_THREAD__)
#define BLOCKS_TRAPS true
#else
#define BLOCKS_TRAPS false
#endif

/* One walk of the same stack by each way. */
struct trial {
	struct registers registers;
	struct walk walk;
	enum walk_state state;
	uint64_t frame[MAX_DEPTH];
};

/* Written by on_trap(). */
static struct trial by_rows, by_libunwind;
static unsigned long first_steps, steps, handed_over, differing, lost_end;
static struct trial first_difference[2];

/* Written by step_through(), read by on_trap(). */
static struct trial callers; /* of step_through() */

static void unwind(void *argument)
{
	struct trial *trial = argument;

	trial->state = walk_unwind(&trial->walk, &trial->registers);
}

static bool is_same(const struct trial *a, const struct trial *b)
{
	return a->walk.depth == b->walk.depth && a->walk.hash == b->walk.hash &&
	       memcmp(a->frame, b->frame, a->walk.depth * sizeof(*a->frame)) ==
		       0;
}

/* Behind the first of step_through()'s callers they are all the same. */
static bool ends_in_callers(const struct trial *trial)
{
	unsigned count = callers.walk.depth;

	return trial->walk.depth > count &&
	       memcmp(&trial->frame[trial->walk.depth - count], callers.frame,
		      count * sizeof(*callers.frame)) == 0;
}

static void begin(struct trial *trial, uintptr_t caller)
{
	walk_begin(&trial->walk, live_recording(), caller, MAX_DEPTH,
		   trial->frame);
}

static void print(const struct trial *trial)
{
	for (unsigned i = 0; i < trial->walk.depth; i++) {
		char text[PATH_BYTES + 32];

		fixture_frame_text(trial->frame[i], text, sizeof(text));
		fprintf(stderr, "%2u %s\n", i, text);
	}
}

/* The loader binds a function that is called for the first time. */
static bool is_binding(const struct walk *walk)
{
	uint64_t loader = FRAME_MODULE(module_place(_dl_find_object));

	for (unsigned i = 0; i < walk->depth; i++)
		if (FRAME_MODULE(walk->frame[i]) == loader)
			return true;
	return false;
}

/*
 * Code without unwind rules it does not. And where the return address is in a
 * register the loader's rules do not count what is pushed before it is called.
 */
static bool libunwind_knows(const struct walk *walk, uintptr_t pc)
{
	return machine_linkage_words(pc, 0, UINTPTR_MAX) < 0 &&
	       (RETURN_IS_ON_STACK || !is_binding(walk));
}

static void compare(const ucontext_t *context)
{
	enum lost_reason why;

	registers_from(&by_rows.registers, context);
	by_libunwind.registers = by_rows.registers;
	begin(&by_rows, 0);
	by_rows.state = walk_rows(&by_rows.walk, &by_rows.registers);
	if (by_rows.state == WALK_GOES_ON) {
		handed_over++;
		return;
	}
	lost_end += !ends_in_callers(&by_rows);
	/* By libunwind a way back is known at its first instruction only. */
	if (fixture_is_returning(context) ||
	    !libunwind_knows(&by_rows.walk, context_pc(context)))
		return;
	begin(&by_libunwind, 0);
	if (!walker_run(unwind, &by_libunwind, true, &why) ||
	    !is_same(&by_rows, &by_libunwind)) {
		if (!differing++) {
			first_difference[0] = by_rows;
			first_difference[1] = by_libunwind;
		}
	}
}

static void on_step(const ucontext_t *context)
{
	steps++;
	compare(context);
}

__attribute__((noinline)) static void step_through(void (*function)(void))
{
	registers_here(&callers.registers);
	begin(&callers, (uintptr_t)__builtin_return_address(0));
	cr_assert_eq(walk_rows(&callers.walk, &callers.registers),
		     WALK_COMPLETE);
	fixture_begin_steps(on_step);
	fixture_step();
	function();
	fixture_end_steps();
}

/* The resolver's first instruction, where its rules do not show it yet. */
#define MISSED (RETURN_IS_ON_STACK ? 0 : 2)

static void assert_walks_agree(void (*function)(void), unsigned long at_least)
{
	fixture_start_unwinder();
	step_through(function);
	first_steps = steps;
	step_through(function);
	if (differing) {
		print(&first_difference[0]);
		print(&first_difference[1]);
	}
	cr_assert_gt(steps, at_least);
	cr_assert_eq(differing, 0, "%lu of %lu differ", differing, steps);
	cr_assert_leq(lost_end, MISSED, "%lu of %lu end elsewhere", lost_end,
		      steps);
	cr_assert_leq(handed_over, MISSED, "%lu of %lu handed over",
		      handed_over, steps);
}

TestSuite(walk_rows, .timeout = 60);

static int compare_numbers(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void sort(void)
{
	int numbers[] = { 3, 1, 2, 5, 4 };

	qsort(numbers, ARRAY_SIZE(numbers), sizeof(numbers[0]),
	      compare_numbers);
}

Test(walk_rows, both_ways_agree_in_every_instruction_of_a_callback)
{
	assert_walks_agree(sort, 500);
}

/* libc reaches its own memory functions through its linkage table. */
static void format(void)
{
	char text[100];
	char *copy;

	snprintf(text, sizeof(text), "%d %s %5.2f", 12, "word", 1.25);
	copy = strdup(text);
	free(copy);
}

Test(walk_rows, both_ways_agree_in_every_instruction_of_libc)
{
	assert_walks_agree(format, 2000);
}

/*
 * Not the time: that is read again if it was set meanwhile, as it is every few
 * milliseconds, and in less it can't be stepped through by a sanitizer's build.
 */
static void ask_kernels_object(void)
{
	struct timespec time;
	unsigned processor;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	getcpu(&processor, NULL);
}

Test(walk_rows, both_ways_agree_in_every_instruction_of_the_kernels_object)
{
	NOT_EMULATED(NO_VDSO);
	assert_walks_agree(ask_kernels_object, 50);
}

static char *(*demangle)(const char *, char *, size_t *, int *);

static void call_what_is_not_bound_yet(void)
{
	free(demangle("_ZN3outI5innerEC1Ei", NULL, NULL, NULL));
}

/* The loader's resolver finds its frame by a register of its caller's. */
Test(walk_rows, both_ways_agree_in_every_instruction_of_lazy_binding)
{
	void *library = dlopen("libstdc++.so.6", RTLD_LAZY);

	cr_assert_not_null(library);
	*(void **)&demangle = dlsym(library, "__cxa_demangle");
	cr_assert_not_null(demangle);
	assert_walks_agree(call_what_is_not_bound_yet, 2000);
	/* The second time all was bound. */
	cr_assert_gt(first_steps, steps - first_steps + 1000);
}

static void keep(const volatile char *data)
{
	(void)data;
}

/* Aligned more than the stack is, and of no fixed size. */
static void realign(void)
{
	volatile char data[256] __attribute__((aligned(128)));
	volatile unsigned size = 100;
	volatile char *more = __builtin_alloca(size);

	data[0] = more[0] = 1;
	keep(data);
	sort();
	keep(more);
}

static void on_host_signal(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
	/* The kernel has entered the handler in one step. */
	fixture_step();
	sort();
}

static void interrupt(void)
{
	raise(SIGUSR2);
}

Test(walk_rows, both_ways_agree_in_a_signal_handler_and_on_its_way_back,
     .disabled = BLOCKS_TRAPS)
{
	struct sigaction action = { .sa_sigaction = on_host_signal,
				    .sa_flags = SA_SIGINFO };

	/* Traps are not to be blocked there. */
	cr_assert_eq(sigaction(SIGUSR2, &action, NULL), 0);
	assert_walks_agree(interrupt, 1000);
}

Test(walk_rows, both_ways_agree_where_a_frame_is_realigned)
{
	fixture_start_unwinder();
	step_through(realign);
	cr_assert_gt(steps, 300);
	cr_assert_eq(differing, 0);
	cr_assert_eq(lost_end, 0);
	/* In the prologue and the epilogue the CFA is in a scratch register. */
	cr_assert_lt(handed_over, 30);
}
