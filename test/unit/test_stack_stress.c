/*
 * Stack capture under load: threads that tick five thousand times a second
 * while they do what walks have been seen to hang or crash in.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/atomic.h"
#include "coroutine_fixture.h"
#include "library_fixture.h"
#include "recording_fixture.h"
#include "sigsafe/live.h"
#include "stack_fixture.h"
#include "tick_fixture.h"

#define PERIOD_NS	(NS_PER_MS / 5)
#define ENOUGH_TICKS	2000u
#define ENOUGH_ROUNDS	20u
#define COROUTINE_BYTES 16384

TestSuite(stack_stress, .init = fixture_start_unwinder, .timeout = 120);

static uint32_t may_end;

struct worker {
	void (*job)(void);
	pthread_t thread;
	uint32_t rounds;
};

static void *work(void *argument)
{
	struct worker *worker = argument;
	timer_t timer = fixture_start_ticks(PERIOD_NS);

	while (!load_acquire(&may_end)) {
		worker->job();
		add_relaxed(&worker->rounds, 1);
	}
	fixture_stop_ticks(timer);
	return NULL;
}

static void allocate(void)
{
	void *block[100];

	for (size_t i = 0; i < 100; i++)
		block[i] = malloc(1 + i * 1009 % 70000);
	for (size_t i = 0; i < 100; i++)
		free(block[i]);
}

/* libgcc's unwinder, as for an exception. */
static void unwind(void)
{
	void *frames[16];

	for (int i = 0; i < 100; i++)
		backtrace(frames, 16);
}

static char library[2][FIXTURE_PATH_BYTES];
static uint32_t not_loaded;

/* Each thread that loads has a file of its own. */
static void load_and_unload(const char *path)
{
	void *handle = dlopen(path, RTLD_NOW);

	if (handle)
		dlclose(handle);
	else
		add_relaxed(&not_loaded, 1);
}

static void load_the_first(void)
{
	load_and_unload(library[0]);
}

static void load_the_second(void)
{
	load_and_unload(library[1]);
}

static void fork_and_wait(void)
{
	pid_t child = fork();

	if (child == 0) {
		/* Its own recording, as a forked process has. */
		fixture_hook();
		_exit(0);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
}

static void contend(void)
{
	for (int i = 0; i < 100; i++)
		fixture_hook();
}

static __thread ucontext_t home, coroutine;

static void switch_back(void)
{
	for (;;) {
		fixture_hook();
		swapcontext(&coroutine, &home);
	}
}

/*
 * Emulated, a thread keeps its one. What qemu's system calls have found to be
 * readable they read, and where another thread has unmapped it meanwhile, which
 * a kernel answers by EFAULT, qemu ends by "assertion failed: (cpu ==
 * current_cpu)". Walks ask for what lies beyond their stack.
 */
static char *take_stack(void)
{
	static __thread char *kept;

	if (!kept || !getenv("EMULATED"))
		kept = mmap(NULL, COROUTINE_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return kept;
}

static void give_stack_back(char *stack)
{
	if (!getenv("EMULATED"))
		munmap(stack, COROUTINE_BYTES);
}

static void switch_coroutines(void)
{
	char *stack = take_stack();

	fixture_make_coroutine(&coroutine, stack, COROUTINE_BYTES, switch_back,
			       NULL);
	for (int i = 0; i < 100; i++)
		swapcontext(&home, &coroutine);
	give_stack_back(stack);
}

static bool have_done_enough(const struct worker *worker, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (load_relaxed(&worker[i].rounds) < ENOUGH_ROUNDS)
			return false;
	return fixture_ticks() >= ENOUGH_TICKS;
}

/* Every frame of every stack names a module that is there. */
static void assert_stacks_are_whole(void)
{
	const struct recording *rec = live_recording();
	const struct module_record *modules =
		section_records(rec, SECTION_MODULES);
	const uint32_t *head = section_records(rec, SECTION_STACK_INDEX);

	for (uint32_t i = 0; i < rec->section[SECTION_STACK_INDEX].capacity;
	     i++) {
		for (uint32_t at = head[i]; at; at = fixture_stack(at)->next) {
			const struct stack_record *stack = fixture_stack(at);

			cr_assert(stack->depth && stack->depth <= MAX_DEPTH);
			for (uint32_t j = 0; j < stack->depth; j++) {
				uint32_t module = FRAME_MODULE(stack->frame[j]);

				cr_assert(!module || modules[module].ready);
			}
		}
	}
}

static void work_together(struct worker *worker, size_t count)
{
	fixture_handle_ticks();
	for (size_t i = 0; i < count; i++)
		pthread_create(&worker[i].thread, NULL, work, &worker[i]);
	while (!have_done_enough(worker, count))
		usleep(1000);
	store_release(&may_end, 1);
	for (size_t i = 0; i < count; i++)
		pthread_join(worker[i].thread, NULL);
	assert_stacks_are_whole();
}

Test(stack_stress, ticks_in_malloc_the_unwinder_and_the_loader)
{
	struct worker worker[] = {
		{ .job = allocate },	   { .job = allocate },
		{ .job = unwind },	   { .job = unwind },
		{ .job = load_the_first }, { .job = load_the_second },
	};

	for (int i = 0; i < 2; i++)
		fixture_make_library(library[i], NULL);
	work_together(worker, ARRAY_SIZE(worker));
	for (int i = 0; i < 2; i++)
		unlink(library[i]);
	cr_assert_eq(not_loaded, 0);
}

Test(stack_stress, ticks_in_forks_coroutines_and_unlocks)
{
	struct worker worker[] = {
		{ .job = fork_and_wait },     { .job = fork_and_wait },
		{ .job = switch_coroutines }, { .job = switch_coroutines },
		{ .job = contend },	      { .job = contend },
	};

	work_together(worker, ARRAY_SIZE(worker));
}
