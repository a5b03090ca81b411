/*
 * Walks through nonsense: they end, and harm nobody.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "library_fixture.h"
#include "machine_fixture.h"
#include "sigsafe/live.h"
#include "sigsafe/os/memory.h"
#include "sigsafe/walk/walk_fp.h"
#include "sigsafe/walk/walk_rows.h"
#include "sigsafe/walk/walk_unwind.h"
#include "sigsafe/walk/walker.h"
#include "stack_fixture.h"

#define NONSENSE_WALKS 20000

TestSuite(walk_safety, .init = fixture_start_unwinder, .timeout = 60);

static uint64_t random_state = 1;

/* xorshift64: Marsaglia, "Xorshift RNGs". */
static uint64_t random_number(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* The end of a readable page, before one that is not; zeroes, and words. */
static uintptr_t edge(void)
{
	static char *pages;

	if (!pages) {
		pages = mmap(NULL, 2 * PAGE_BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		for (size_t i = 0; i < PAGE_BYTES; i++)
			pages[i] = (char)random_number();
		mprotect(pages + PAGE_BYTES, PAGE_BYTES, PROT_NONE);
	}
	return (uintptr_t)pages + PAGE_BYTES;
}

/* A value that a register may have. */
static uint64_t nonsense(void)
{
	uint64_t number = random_number();

	switch (number % 8) {
	case 0:
		return 0;
	case 1:
		return number >> 8;
	case 2:
		return number >> 52;
	case 3:
		return edge() - (number >> 8) % 64;
	case 4:
		return edge() - 8 * ((number >> 8) % 512);
	case 5:
		/* Among the frames of this thread. */
		return (uintptr_t)&number + 8 * ((number >> 8) % 256);
	case 6:
		return (uintptr_t)walker_guard_page() + (number >> 8) % 70000;
	default:
		return UINT64_C(0xffff800000000000) | number >> 8;
	}
}

/* Somewhere in the text of libc, of this program, or nowhere. */
static uint64_t nonsense_pc(void)
{
	uint64_t number = random_number();

	switch (number % 4) {
	case 0:
		return nonsense();
	case 1:
		return (uintptr_t)nonsense_pc + (number >> 8) % 4096;
	default:
		return (uintptr_t)&qsort + (number >> 8) % 100000;
	}
}

struct trial {
	struct registers registers;
	struct walk walk;
	enum walk_state state;
};

static void walk_by_tables(void *argument)
{
	struct trial *trial = argument;

	trial->state = walk_unwind(&trial->walk, &trial->registers);
}

static void walk_by_pointers(void *argument)
{
	struct trial *trial = argument;

	trial->state = walk_fp(&trial->walk, &trial->registers);
}

static void walk_by_rows(void *argument)
{
	struct trial *trial = argument;

	trial->state = walk_rows(&trial->walk, &trial->registers);
	/* Handed over: that way has a test of its own. */
	if (trial->state == WALK_GOES_ON)
		trial->state = WALK_COMPLETE;
}

static void walk_nonsense(void (*way)(void *))
{
	enum lost_reason why;

	for (int i = 0; i < NONSENSE_WALKS; i++) {
		static struct trial trial;

		for (int j = 0; j < REGISTER_COUNT; j++)
			trial.registers.value[j] = nonsense();
		trial.registers.value[REGISTER_PC] = nonsense_pc();
		walk_begin(&trial.walk, live_recording(), 0, MAX_DEPTH, NULL);
		cr_assert(walker_run(way, &trial, false, &why));
		cr_assert_neq(trial.state, WALK_GOES_ON);
		cr_assert_leq(trial.walk.depth, MAX_DEPTH);
	}
}

Test(walk_safety, registers_may_hold_anything)
{
	walk_nonsense(walk_by_tables);
}

Test(walk_safety, registers_may_hold_anything_by_rows)
{
	walk_nonsense(walk_by_rows);
}

Test(walk_safety, registers_may_hold_anything_by_frame_pointers)
{
	walk_nonsense(walk_by_pointers);
}

/*
 * Functions whose unwind rules are bad: odd_no_rule() has none for its frame;
 * odd_wild() says that its frame begins behind what the word at a register
 * says, and has 65536 there; odd_endless() has a rule that jumps back to its
 * own start.
 */
void odd_no_rule(void (*call)(void));
void odd_wild(void (*call)(void));
void odd_endless(void (*call)(void));

__asm__(".text\n"
	".hidden odd_no_rule, odd_wild, odd_endless\n"
	".globl odd_no_rule, odd_wild, odd_endless\n" ODD_FUNCTIONS);

static uint32_t captured;

static void capture(void)
{
	captured = fixture_hook();
}

/* The frame in capture() and the one in the odd function are known. */
static void assert_ends_at(void (*odd)(void (*)(void)))
{
	odd(capture);
	cr_assert_geq(fixture_stack(captured)->depth, 2);
}

Test(walk_safety, a_function_may_have_no_rule_for_its_frame)
{
	assert_ends_at(odd_no_rule);
}

Test(walk_safety, a_rule_may_lead_anywhere)
{
	assert_ends_at(odd_wild);
}

Test(walk_safety, a_rule_may_have_no_end)
{
	assert_ends_at(odd_endless);
}

static void claim_too_many_entries(Elf64_Ehdr *image)
{
	Elf64_Phdr *header = fixture_header(image, PT_GNU_EH_FRAME);
	uint32_t *table = (void *)((char *)image + header->p_offset);

	table[2] = UINT32_MAX;
}

static void point_rules_outside(Elf64_Ehdr *image)
{
	Elf64_Phdr *header = fixture_header(image, PT_GNU_EH_FRAME);
	uint32_t *table = (void *)((char *)image + header->p_offset);

	for (uint32_t i = 0; i < table[2]; i++)
		table[4 + 2 * i] = 0x70000000;
}

static void walk_from_library(fixture_edit *edit)
{
	static struct trial trial;
	void *library = fixture_load_library(edit);
	enum lost_reason why;

	registers_here(&trial.registers);
	trial.registers.value[REGISTER_PC] = fixture_text_of(library);
	walk_begin(&trial.walk, live_recording(), 0, MAX_DEPTH, NULL);
	cr_assert(walker_run(walk_by_tables, &trial, false, &why));
	cr_assert_geq(trial.walk.depth, 1);
	dlclose(library);
}

Test(walk_safety, an_unwind_table_may_be_cut_short)
{
	walk_from_library(claim_too_many_entries);
}

Test(walk_safety, an_unwind_table_may_point_outside)
{
	walk_from_library(point_rules_outside);
}
