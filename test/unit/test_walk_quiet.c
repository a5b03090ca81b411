/*
 * What a warm walk asks for: nothing. From here on every system call kills, and
 * allocations are counted.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "coroutine_fixture.h"
#include "machine_fixture.h"
#include "sigsafe/stacks/alternate_stack.h"
#include "sigsafe/walk/stack.h"
#include "stack_fixture.h"

#define DEPTH 30
#define WALKS 1000

/* Exit status of a child that could not forbid itself system calls. */
#define NOT_SHUT_IN 3

static unsigned allocations;

/* A sanitizer has an allocator of its own, and makes system calls. */
#if !IS_SANITIZED
/*
 * In front of libc's, which is also there under another name; for libunwind,
 * too, and so to be seen from outside of the program.
 */
#pragma GCC visibility push(default)
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);
extern void __libc_free(void *old);

void *malloc(size_t bytes)
{
	allocations++;
	return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
	allocations++;
	return __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
	allocations++;
	return __libc_realloc(old, bytes);
}

void free(void *old)
{
	allocations++;
	__libc_free(old);
}
#pragma GCC visibility pop
#endif

/* All but the exit. */
static void forbid_system_calls(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { .len = sizeof(code) / sizeof(code[0]),
				     .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		_exit(NOT_SHUT_IN);
}

/* As a hook walks, and as a handler does on the alternate stack of a loop. */
static uint32_t walk_both_ways(const ucontext_t *context)
{
	uint32_t by_hook = fixture_hook();

	thread_self.alternate_stack =
		(char *)__builtin_frame_address(0) - ALTERNATE_STACK_BYTES / 2;
	return by_hook && stack_capture(context, NULL) ? by_hook : 0;
}

static unsigned before;

/* Not inlined: the loop would become two, with a walk from each. */
static __attribute__((noinline)) void from_the_third_on(int walk)
{
	if (walk != 2)
		return;
	forbid_system_calls();
	before = allocations;
}

/* Warm after the first one. */
static __attribute__((noinline)) void walk_at_depth(unsigned depth)
{
	ucontext_t context;
	uint32_t last = 0;

	if (depth) {
		walk_at_depth(depth - 1);
		__asm__ volatile("");
		return;
	}
	getcontext(&context);
	/* One call in one loop: warm walks come from where the cold ones did.
	 */
	for (int i = 0; i < WALKS; i++) {
		from_the_third_on(i);
		last = walk_both_ways(&context);
	}
	if (allocations != before)
		_exit(4);
	if (!last || fixture_stack(last)->depth < DEPTH)
		_exit(5);
}

static int status_of(void (*work)(void))
{
	int status = -1;
	pid_t child = fork();

	if (!child) {
		work();
		_exit(0);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	return status;
}

static void walk_quietly(void)
{
	walk_at_depth(DEPTH);
}

static void call_the_system(void)
{
	forbid_system_calls();
	syscall(SYS_gettid);
}

static void walk_on_coroutine(void)
{
	static char stack[65536] __attribute__((aligned(16)));
	ucontext_t home;

	fixture_run_coroutine(stack, sizeof(stack), walk_quietly, &home);
}

static bool is_killed(int status)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS;
}

/* The test would show a system call; but not where they can't be forbidden. */
static void start(void)
{
	int status = status_of(call_the_system);

	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_SHUT_IN)
		cr_skip_test("emulated: no seccomp");
	cr_assert(is_killed(status));
	fixture_start_unwinder();
}

TestSuite(walk_quiet, .init = start, .disabled = IS_SANITIZED, .timeout = 60);

Test(walk_quiet, a_warm_walk_makes_no_system_call_and_allocates_nothing)
{
	cr_assert_eq(status_of(walk_quietly), 0);
}

/* Only its own stack is known to stay: see sigsafe/stacks/own_stack.h. */
Test(walk_quiet, another_stack_is_asked_for_again)
{
	cr_assert(is_killed(status_of(walk_on_coroutine)));
}
