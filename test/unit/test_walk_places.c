/*
 * Walks in tight places: on small stacks, under the loader's lock, where system
 * calls are forbidden, and in code that libunwind itself interrupts.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <libunwind.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/atomic.h"
#include "coroutine_fixture.h"
#include "machine_fixture.h"
#include "recording_fixture.h"
#include "sigsafe/live.h"
#include "sigsafe/os/memory.h"
#include "sigsafe/os/sys.h"
#include "sigsafe/walk/stack.h"
#include "stack_fixture.h"
#include "tick_fixture.h"

#define PERIOD_NS    (NS_PER_MS / 5)
#define ENOUGH_TICKS 2000u

/* What is compiled for a sanitizer has larger frames. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COROUTINE_BYTES (4 * PAGE_BYTES)
#else
#define COROUTINE_BYTES PAGE_BYTES
#endif

TestSuite(walk_places, .init = fixture_start_unwinder, .timeout = 60);

static uint32_t captured;
static const void *return_address;

__attribute__((noinline)) static void capture(void)
{
	return_address = __builtin_return_address(0);
	store_release(&captured, fixture_hook());
}

static void on_tick(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	store_release(&captured, stack_capture(context, NULL));
}

static void handle_ticks(int flags)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | flags };

	action.sa_sigaction = on_tick;
	memset(&action.sa_mask, 0xff, sizeof(action.sa_mask));
	cr_assert_eq(sigaction(SIGUSR1, &action, NULL), 0);
}

/* A stack of a coroutine, an unreadable page below it. */
static char *map_stack(void)
{
	char *pages =
		mmap(NULL, PAGE_BYTES + COROUTINE_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq((void *)pages, MAP_FAILED);
	mprotect(pages, PAGE_BYTES, PROT_NONE);
	return pages + PAGE_BYTES;
}

static ucontext_t home;

static void run_on_small_stack(void (*function)(void))
{
	fixture_run_coroutine(map_stack(), COROUTINE_BYTES, function, &home);
}

static void capture_in_coroutine(void)
{
	capture();
	__asm__ volatile("");
}

Test(walk_places, a_coroutine_of_four_kilobytes_is_enough)
{
	run_on_small_stack(capture_in_coroutine);
	cr_assert_geq(fixture_find(fixture_stack(captured),
				   fixture_frame(return_address)),
		      0);
}

static void be_interrupted(void)
{
	raise(SIGUSR1);
}

Test(walk_places, a_tick_in_a_coroutine_has_a_stack)
{
	static char alternate[64 << 10];
	stack_t stack = { .ss_sp = alternate, .ss_size = sizeof(alternate) };

	cr_assert_eq(sigaltstack(&stack, NULL), 0);
	handle_ticks(SA_ONSTACK);
	run_on_small_stack(be_interrupted);
	cr_assert_gt(fixture_stack(captured)->depth, 1);
	cr_assert_eq(fixture_lost(LOST_WALK_SHORT), 0);
}

/* A thread under the loader's lock, which waits for a tick in another. */
struct meeting {
	pthread_t other;
	uint32_t other_runs;
};

static void *run_until_captured(void *argument)
{
	struct meeting *meeting = argument;

	store_release(&meeting->other_runs, 1);
	while (!load_acquire(&captured))
		machine_relax();
	return NULL;
}

static int wait_for_tick(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct meeting *meeting = argument;

	(void)info;
	(void)size;
	pthread_kill(meeting->other, SIGUSR1);
	while (!load_acquire(&captured))
		sched_yield();
	return 1;
}

Test(walk_places, a_walk_needs_no_lock_of_the_loaders)
{
	struct meeting meeting = { .other_runs = 0 };

	handle_ticks(0);
	pthread_create(&meeting.other, NULL, run_until_captured, &meeting);
	while (!load_acquire(&meeting.other_runs))
		sched_yield();
	cr_assert_eq(dl_iterate_phdr(wait_for_tick, &meeting), 1);
	pthread_join(meeting.other, NULL);
	cr_assert_gt(fixture_stack(captured)->depth, 2);
}

/* From now on any system call but these ends the process by SIGSYS. */
static void forbid_system_calls(void)
{
#define ALLOW(number)                                                          \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),                     \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		ALLOW(SYS_rt_sigprocmask),
		ALLOW(SYS_exit_group),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { ARRAY_SIZE(filter), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(2);
}

Test(walk_places, a_warm_walk_makes_no_system_call_but_to_ask_and_to_block)
{
	int status;
	pid_t child = 0;

	NOT_EMULATED(NO_SECCOMP);
	/* One call for both: as long as it is the same way it is a warm walk.
	 */
	for (volatile int i = 0; i < 2; i++) {
		if (i == 1 && (child = fork()))
			break;
		if (i == 1)
			forbid_system_calls();
		captured = 0;
		capture();
	}
	/* Not _exit(), before which sanitizers make calls. */
	if (child == 0)
		sys1(SYS_exit_group, captured ? 0 : 1);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
}

/* The program uses the library that the shim loaded, for its own purposes. */
struct users_library {
	int (*init_local)(unw_cursor_t *, unw_context_t *);
	int (*step)(unw_cursor_t *);
};

static uint32_t may_end;

__attribute__((noinline)) static void
walk_once(const struct users_library *library)
{
	unw_context_t context;
	unw_cursor_t cursor;

	GET_UNWIND_CONTEXT(&context);
	library->init_local(&cursor, &context);
	while (library->step(&cursor) > 0)
		;
}

static void *walk_own_stack(void *argument)
{
	timer_t timer = fixture_start_ticks(PERIOD_NS);
	uintptr_t walks = 0;

	while (!load_acquire(&may_end)) {
		walk_once(argument);
		walks++;
	}
	fixture_stop_ticks(timer);
	return (void *)walks;
}

Test(walk_places, the_program_may_use_the_same_libunwind)
{
	void *handle = dlopen(UNWIND_LIBRARY, RTLD_NOW);
	struct users_library library;
	pthread_t user[2];

	cr_assert_not_null(handle);
	*(void **)&library.init_local =
		dlsym(handle, UNWIND_NAME("init_local"));
	*(void **)&library.step = dlsym(handle, UNWIND_NAME("step"));
	fixture_handle_ticks();
	for (int i = 0; i < 2; i++)
		pthread_create(&user[i], NULL, walk_own_stack, &library);
	while (fixture_ticks() < ENOUGH_TICKS)
		capture();
	store_release(&may_end, 1);
	for (int i = 0; i < 2; i++) {
		void *walks;

		pthread_join(user[i], &walks);
		cr_assert_neq(walks, NULL);
	}
	capture();
	cr_assert_gt(fixture_stack(captured)->depth, 2);
}
