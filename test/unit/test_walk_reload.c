/*
 * Walks through libraries that come and go: rows of one that is gone are not
 * used for another at the same place.
 *
 * Two libraries are made, alike but for the size of the frame of one function,
 * which calls what it is given.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic.h"
#include "library_fixture.h"
#include "machine_fixture.h"
#include "recording_fixture.h"
#include "sigsafe/live.h"
#include "sigsafe/walk/object.h"
#include "stack_fixture.h"
#include "tick_fixture.h"

#define PERIOD_NS    (NS_PER_MS / 5)
#define ENOUGH_TICKS 2000u
#define ENOUGH_LOADS 200u

/* What the loader frees it takes for a race, as it can't see its lock. */
#if defined(__SANITIZE_THREAD__)
#define MISSES_LOADERS_LOCK true
#else
#define MISSES_LOADERS_LOCK false
#endif

TestSuite(walk_reload, .init = fixture_start_unwinder, .timeout = 120);

typedef void call_back(void (*function)(void));

/* An entry of .eh_frame_hdr's table, and a FDE, as these libraries have them.
 */
struct table {
	int8_t encodings[4];
	int32_t frame;
	uint32_t count;
	struct {
		int32_t code, rule;
	} entry[];
};

struct function {
	uint32_t length;
	uint32_t common;
	int32_t start;
	uint32_t size;
	uint8_t augmentation;
	uint8_t program[];
};

static struct table *table_of(char *image)
{
	return (void *)(image + fixture_header((Elf64_Ehdr *)(void *)image,
					       PT_GNU_EH_FRAME)
					->p_vaddr);
}

static const CALLBACK_UNIT longest_code[] = CALLBACK_CODE(80);
static const uint8_t longest_program[] = CALLBACK_RULES(80);

/* The last function, long enough in file and table, that nobody calls: the
 * first ones may be the library's start and end. */
static uint32_t entry_to_use(char *image)
{
	const struct table *table = table_of(image);

	for (uint32_t i = table->count; i-- > 0;) {
		const struct function *function =
			(const void *)((const char *)table +
				       table->entry[i].rule);

		if (function->size >= sizeof(longest_code) &&
		    function->length >=
			    sizeof(*function) + sizeof(longest_program))
			return i;
	}
	cr_assert_fail("no such function");
	return 0;
}

static void put_function(Elf64_Ehdr *elf, uint8_t bytes)
{
	const CALLBACK_UNIT code[] = CALLBACK_CODE(bytes);
	const uint8_t program[] = CALLBACK_RULES(bytes);
	char *image = (char *)elf;
	struct table *table = table_of(image);
	uint32_t i = entry_to_use(image);
	struct function *function =
		(void *)((char *)table + table->entry[i].rule);

	memcpy((char *)table + table->entry[i].code, code, sizeof(code));
	memset(function->program, 0,
	       function->length + sizeof(function->length) -
		       offsetof(struct function, program));
	memcpy(function->program, program, sizeof(program));
}

/* Its last byte: behind the note's head and name ("GNU") come twenty. */
static void change_build_id(Elf64_Ehdr *elf)
{
	Elf64_Phdr *header = (void *)((char *)elf + elf->e_phoff);

	for (unsigned i = 0; i < elf->e_phnum; i++) {
		char *note = (char *)elf + header[i].p_offset;

		if (header[i].p_type == PT_NOTE &&
		    ((Elf64_Nhdr *)(void *)note)->n_type == NT_GNU_BUILD_ID)
			note[sizeof(Elf64_Nhdr) + sizeof(ELF_NOTE_GNU) + 19] ^=
				1;
	}
}

static void remove_notes(Elf64_Ehdr *elf)
{
	Elf64_Phdr *header = (void *)((char *)elf + elf->e_phoff);

	for (unsigned i = 0; i < elf->e_phnum; i++)
		if (header[i].p_type == PT_NOTE)
			header[i].p_type = PT_NULL;
}

static void make_small(Elf64_Ehdr *elf)
{
	put_function(elf, 16);
}

static void make_large(Elf64_Ehdr *elf)
{
	put_function(elf, 80);
	change_build_id(elf);
}

static void make_small_without_id(Elf64_Ehdr *elf)
{
	put_function(elf, 16);
	remove_notes(elf);
}

static void make_large_without_id(Elf64_Ehdr *elf)
{
	put_function(elf, 80);
	remove_notes(elf);
}

/* What one visit to a library saw. */
struct visit {
	uint32_t place;	    /* of the stack */
	uintptr_t function; /* in the library */
	const void *behind; /* the address it returned to */
};

static __thread struct visit visit;

static void look(void)
{
	visit.place = fixture_hook();
	__asm__ volatile("");
}

__attribute__((noinline)) static void go_through(call_back *function)
{
	visit.function = (uintptr_t)function;
	function(look);
	visit.behind = __builtin_return_address(0);
}

static call_back *function_in(void *library)
{
	struct link_map *map;
	struct table *table;
	uint32_t i;

	cr_assert_eq(dlinfo(library, RTLD_DI_LINKMAP, &map), 0);
	table = table_of((char *)map->l_addr);
	i = entry_to_use((char *)map->l_addr);
	return (call_back *)((uintptr_t)table +
			     (uintptr_t)(intptr_t)table->entry[i].code);
}

/*
 * look(), the library's function, go_through(), and its caller: if the third
 * is right, so was the row.
 */
static bool is_right(const struct stack_record *stack)
{
	return stack->depth > 4 &&
	       FRAME_MODULE(stack->frame[1]) ==
		       FRAME_MODULE(fixture_frame(
			       (void *)(visit.function + CALLBACK_RETURN))) &&
	       stack->frame[3] == fixture_frame(visit.behind);
}

/* Always by the same name. */
static uintptr_t visit_library(fixture_edit *edit)
{
	static char name[FIXTURE_PATH_BYTES];
	call_back *function;
	void *library;

	if (!*name)
		fixture_make_library(name, NULL);
	unlink(name);
	fixture_copy_library(name, edit);
	library = dlopen(name, RTLD_NOW);
	unlink(name);
	function = function_in(library);

	/* The second time by rows that have been kept. */
	for (int i = 0; i < 2; i++) {
		go_through(function);
		cr_assert(is_right(fixture_stack(visit.place)));
	}
	dlclose(library);
	return (uintptr_t)function;
}

Test(walk_reload, another_library_at_the_same_place_has_rows_of_its_own)
{
	uintptr_t small;

	NOT_EMULATED(NO_PLACE_TWICE);
	small = visit_library(make_small);
	cr_assert_eq(visit_library(make_large), small);
	cr_assert_eq(visit_library(make_small), small);
	cr_assert_eq(fixture_lost(LOST_WALK_SHORT), 0);
}

Test(walk_reload, so_has_one_without_a_build_id)
{
	uintptr_t small;

	NOT_EMULATED(NO_PLACE_TWICE);
	small = visit_library(make_small_without_id);
	cr_assert_eq(visit_library(make_large_without_id), small);
}

static uint32_t may_end, loads, wrong;
static char path[2][FIXTURE_PATH_BYTES];

/* Both libraries in turns, where the other one was. */
static void *load_and_visit(void *argument)
{
	timer_t timer = fixture_start_ticks(PERIOD_NS);

	(void)argument;
	for (unsigned i = 0; !load_acquire(&may_end); i++) {
		void *library = dlopen(path[i % 2], RTLD_NOW);
		call_back *function = function_in(library);

		for (int j = 0; j < 20; j++) {
			go_through(function);
			if (!is_right(fixture_stack(visit.place)))
				add_relaxed(&wrong, 1);
		}
		dlclose(library);
		add_relaxed(&loads, 1);
	}
	fixture_stop_ticks(timer);
	return NULL;
}

Test(walk_reload, every_walk_is_right_while_libraries_take_each_others_place,
     .disabled = MISSES_LOADERS_LOCK)
{
	pthread_t thread[3];

	fixture_make_library(path[0], make_small);
	fixture_make_library(path[1], make_large);
	fixture_handle_ticks();
	for (int i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, load_and_visit, NULL);
	while (fixture_ticks() < ENOUGH_TICKS ||
	       load_relaxed(&loads) < ENOUGH_LOADS)
		usleep(1000);
	store_release(&may_end, 1);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	unlink(path[0]);
	unlink(path[1]);
	cr_assert_eq(load_relaxed(&wrong), 0);
	cr_assert_eq(fixture_lost(LOST_MODULE), 0);
}
