/*
 * Walks that are led to memory which another thread takes away at that moment:
 * they keep what they have found, and end.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/units.h"
#include "library_fixture.h"
#include "machine_fixture.h"
#include "sigsafe/live.h"
#include "sigsafe/walk/row_cache.h"
#include "sigsafe/walk/walk_fp.h"
#include "sigsafe/walk/walk_rows.h"
#include "sigsafe/walk/walk_unwind.h"
#include "sigsafe/walk/walker.h"
#include "stack_fixture.h"

/*
 * So often each outcome must have been seen, in one of so many walks: where
 * memory is proven first and read then, a fault takes some thousands.
 */
#define ENOUGH	     20000u
#define ENOUGH_LOADS 5000u
#define MOST_WALKS   5000000u

#define MAPPED_BYTES (4 * PAGE_BYTES)

TestSuite(walk_vanishing, .init = fixture_start_unwinder, .timeout = 120);

struct trial {
	struct registers registers;
	struct walk walk;
	enum walk_state state;
};

static void by_rows(void *argument)
{
	struct trial *trial = argument;

	trial->state = walk_rows(&trial->walk, &trial->registers);
}

static void by_pointers(void *argument)
{
	struct trial *trial = argument;

	trial->state = walk_fp(&trial->walk, &trial->registers);
}

static void by_tables(void *argument)
{
	struct trial *trial = argument;

	trial->state = walk_unwind(&trial->walk, &trial->registers);
}

/* As the walker, which libunwind needs. */
static void walk_from(struct trial *trial, uintptr_t pc, uintptr_t sp,
		      void (*way)(void *))
{
	enum lost_reason why;

	trial->registers.value[REGISTER_PC] = pc;
	trial->registers.value[REGISTER_SP] = sp;
	trial->registers.value[REGISTER_FP] = sp;
	walk_begin(&trial->walk, live_recording(), 0, MAX_DEPTH, NULL);
	cr_assert(walker_run(way, trial, false, &why));
}

static uint32_t may_end;
static char *mapped;

/* There, full of zeroes, and not there, in turns. */
static void *map_and_unmap(void *argument)
{
	(void)argument;
	while (!load_acquire(&may_end)) {
		mmap(mapped, MAPPED_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		munmap(mapped, MAPPED_BYTES);
	}
	return NULL;
}

/* Its first instruction has the return address at the stack pointer. */
static __attribute__((noinline)) void function(void)
{
	__asm__ volatile("");
}

/* Found there it is 0, which is the outermost frame's. */
static void walk_into_vanishing_memory(void (*way)(void *))
{
	unsigned found = 0, cut = 0, walks = 0;
	static struct trial trial;
	pthread_t thread;

	NOT_EMULATED(NO_COPIES);
	mapped = mmap(NULL, MAPPED_BYTES, PROT_READ,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_eq(pthread_create(&thread, NULL, map_and_unmap, NULL), 0);
	while ((found < ENOUGH || cut < ENOUGH) && walks++ < MOST_WALKS) {
		walk_from(&trial, (uintptr_t)function,
			  (uintptr_t)mapped + walks * 64 % MAPPED_BYTES, way);
		cr_assert_geq(trial.walk.depth, 1);
		found += trial.state == WALK_COMPLETE;
		cut += trial.state == WALK_CUT && trial.walk.lacks_memory;
	}
	store_release(&may_end, 1);
	pthread_join(thread, NULL);
	cr_assert_geq(found, ENOUGH);
	cr_assert_geq(cut, ENOUGH);
}

/* Where a return address is in a register none is read by rows at first. */
#define IS_NOT_READ (!RETURN_IS_ON_STACK)

Test(walk_vanishing, a_stack_may_be_unmapped_meanwhile, .disabled = IS_NOT_READ)
{
	walk_into_vanishing_memory(by_rows);
}

Test(walk_vanishing, so_may_one_that_frame_pointers_lead_to)
{
	walk_into_vanishing_memory(by_pointers);
}

Test(walk_vanishing, so_may_one_that_libunwind_is_led_to,
     .disabled = IS_NOT_READ)
{
	walk_into_vanishing_memory(by_tables);
}

static char library_path[FIXTURE_PATH_BYTES];
static uintptr_t library_text;
static uint32_t loads;

static void *load_and_unload(void *argument)
{
	(void)argument;
	while (!load_acquire(&may_end)) {
		dlclose(dlopen(library_path, RTLD_NOW));
		add_relaxed(&loads, 1);
	}
	return NULL;
}

/* What no function has returned to may well be found on a stack. */
static void walk_into_vanishing_library(void (*way)(void *))
{
	static uint64_t empty[64];
	static struct trial trial;
	pthread_t thread;
	void *library;

	NOT_EMULATED(NO_COPIES);
	fixture_make_library(library_path, NULL);
	library = dlopen(library_path, RTLD_NOW);
	library_text = fixture_text_of(library);
	dlclose(library);
	cr_assert_eq(pthread_create(&thread, NULL, load_and_unload, NULL), 0);
	for (unsigned i = 0; load_relaxed(&loads) < ENOUGH_LOADS; i++) {
		/* Or the tables would be read only once. */
		if (i % 64 == 0)
			row_cache_reset();
		walk_from(&trial, library_text + i % 512, (uintptr_t)empty,
			  way);
	}
	store_release(&may_end, 1);
	pthread_join(thread, NULL);
	unlink(library_path);
}

Test(walk_vanishing, a_library_may_be_unloaded_meanwhile)
{
	walk_into_vanishing_library(by_rows);
}

Test(walk_vanishing, so_may_one_that_frame_pointers_pass)
{
	walk_into_vanishing_library(by_pointers);
}

Test(walk_vanishing, so_may_one_whose_tables_libunwind_reads)
{
	walk_into_vanishing_library(by_tables);
}

/* Its pages are gone, changed ones too, and reading one is a bus error. */
static void walk_in_truncated_library(void (*way)(void *))
{
	static uint64_t empty[64];
	static struct trial trial;

	library_text = fixture_text_of(dlopen(library_path, RTLD_NOW));
	if (truncate(library_path, 0))
		_exit(3);
	for (uintptr_t i = 0; i < 512; i++)
		walk_from(&trial, library_text + i, (uintptr_t)empty, way);
	/* At once: no library's end could be called any more. */
	_exit(trial.walk.depth == 1 ? 0 : 4);
}

static void assert_outlives_truncation(void (*way)(void *))
{
	int status = -1;
	pid_t child;

	NOT_EMULATED("a bus error in a system call ends the emulator");
	fixture_make_library(library_path, NULL);
	child = fork();
	if (!child)
		walk_in_truncated_library(way);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
	unlink(library_path);
}

Test(walk_vanishing, the_file_of_a_library_may_be_cut_short)
{
	assert_outlives_truncation(by_rows);
}

Test(walk_vanishing, so_may_one_that_frame_pointers_lead_into)
{
	assert_outlives_truncation(by_pointers);
}

Test(walk_vanishing, so_may_one_that_libunwind_is_led_into)
{
	assert_outlives_truncation(by_tables);
}
