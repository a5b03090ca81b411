/*
 * The way out of a fault, and that every other fault is the host's.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/atomic.h"
#include "machine_fixture.h"
#include "signal_fixture.h"
#include "sigsafe/clock.h"
#include "sigsafe/sys.h"
#include "sigsafe/walk.h"
#include "sigsafe/walk_fp.h"
#include "sigsafe/way_out.h"

#define CODE_BYTES 4096 /* of a function to take for the shim's own */

static volatile int *nowhere; /* a page that can't be read */

__attribute__((noinline, aligned(CODE_BYTES))) static int ours(void)
{
	return *nowhere;
}

__attribute__((noinline, aligned(CODE_BYTES))) static int hosts(void)
{
	return 1 + *nowhere;
}

static void start(void)
{
	NOT_EMULATED(OWN_SIGNALS);
	signals_start(0);
	nowhere =
		mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq((void *)nowhere, MAP_FAILED);
	walk_leave_out((uintptr_t)ours, (uintptr_t)ours + CODE_BYTES);
}

TestSuite(way_out, .init = start, .disabled = IS_SANITIZED, .timeout = 30);

/* True: there was a fault in function, and here we are. */
__attribute__((noinline)) static bool falls(int (*function)(void))
{
	volatile bool fell = true;
	struct way_out way;

	if (!way_out_open(&way)) {
		function();
		fell = false;
	}
	way_out_close(&way);
	return fell;
}

static kernel_sigset mask_now(void)
{
	kernel_sigset mask;

	sys_sigprocmask(SIG_BLOCK, NULL, &mask);
	return mask;
}

Test(way_out, leads_out_of_a_fault_as_often_as_there_is_one)
{
	kernel_sigset mask = mask_now();

	for (int i = 0; i < 1000; i++)
		cr_assert(falls(ours));
	cr_assert_eq(mask_now(), mask);
	cr_assert_null(thread_self.way_out);
}

static int falls_within(void)
{
	return falls(ours) ? 7 : 0;
}

Test(way_out, leads_to_the_nearest_opened)
{
	cr_assert_not(falls(falls_within));
	cr_assert_null(thread_self.way_out);
}

static void fault_in_ours(void)
{
	ours();
}

static void fault_in_hosts(void)
{
	falls(hosts);
}

static bool kills(void (*function)(void))
{
	int status = status_of_child(function);

	return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

Test(way_out, a_fault_with_none_open_kills)
{
	cr_assert(kills(fault_in_ours));
}

Test(way_out, a_fault_of_the_host_kills_also_where_one_is_open)
{
	cr_assert(kills(fault_in_hosts));
}

static jmp_buf before;

static int jump_across(void)
{
	longjmp(before, 1);
}

static void fault_after_a_jump(void)
{
	if (!setjmp(before))
		falls(jump_across);
	ours();
}

Test(way_out, one_that_was_jumped_across_is_none)
{
	cr_assert(kills(fault_after_a_jump));
}

static void leave(int sig)
{
	_exit(sig);
}

static void fault_with_a_handler(void)
{
	handle(SIGSEGV, leave);
	hosts();
}

Test(way_out, the_hosts_handler_gets_its_own_faults)
{
	int status = status_of_child(fault_with_a_handler);

	cr_assert(WIFEXITED(status));
	cr_assert_eq(WEXITSTATUS(status), SIGSEGV);
}

static void ignore_a_fault(void)
{
	handle(SIGSEGV, SIG_IGN);
	raise(SIGSEGV); /* is ignored, as it is not a fault */
	hosts();
}

Test(way_out, a_fault_that_is_ignored_kills_all_the_same)
{
	cr_assert(kills(ignore_a_fault));
}

/* A stack that another thread takes away and gives back all the time. */
static uint64_t *stack;
static bool is_over; /* atomic */

#define STACK_BYTES 4096
#define FRAME_WORDS 4 /* the frame pointer, a return address, and no more */

static void *take_away(void *unused)
{
	while (!load_relaxed(&is_over)) {
		mprotect(stack, STACK_BYTES, PROT_NONE);
		mprotect(stack, STACK_BYTES, PROT_READ);
	}
	return unused;
}

static void make_stack(void)
{
	stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq((void *)stack, MAP_FAILED);
	for (unsigned i = 0; i < STACK_BYTES / sizeof(*stack) - FRAME_WORDS;
	     i += FRAME_WORDS) {
		stack[i] = (uintptr_t)&stack[i + FRAME_WORDS];
		stack[i + 1] = (uintptr_t)hosts + 1;
	}
}

static struct walk walk;

static int walk_it(void)
{
	struct registers registers = { .value = {
					       [REGISTER_PC] = (uintptr_t)hosts,
					       [REGISTER_FP] = (uintptr_t)stack,
					       [REGISTER_SP] = (uintptr_t)stack,
				       } };

	walk_begin(&walk, NULL, 0, MAX_DEPTH, NULL);
	walk_fp(&walk, &registers);
	return 0;
}

/* What it had found stays. */
Test(way_out, a_walk_through_memory_that_goes_away_comes_back)
{
	uint64_t until_ns = clock_now_ns() + 20 * NS_PER_S;
	unsigned fallen = 0, whole = 0;
	pthread_t other;

	make_stack();
	walk_leave_out((uintptr_t)walk_fp, (uintptr_t)walk_fp + 4096);
	cr_assert_eq(pthread_create(&other, NULL, take_away, NULL), 0);
	while (!fallen && clock_now_ns() < until_ns) {
		fallen += falls(walk_it);
		whole += walk.depth > 1;
	}
	store_relaxed(&is_over, true);
	pthread_join(other, NULL);
	cr_log_info("%u walks before one fell", whole);
	cr_assert(fallen);
	cr_assert_geq(walk.depth, 1);
}
