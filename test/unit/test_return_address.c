/*
 * What a call leaves is told from other words, whatever the form of the call.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stddef.h>

#include "base/units.h"
#include "machine_fixture.h"
#include "sigsafe/walk/return_address.h"

/* An instruction, never run, and in the table of that name what follows it. */
#define LISTED_IN(table, instruction)                                          \
	".skip 8\n" instruction "\n"                                           \
	"1:	.pushsection .data.rel.local." table ", \"aw\"\n"              \
	"	.quad 1b\n"                                                          \
	"	.popsection\n"
#define CALL(instruction)  LISTED_IN("calls", instruction)
#define OTHER(instruction) LISTED_IN("others", instruction)
#define TABLE(table, entries)                                                  \
	".pushsection .data.rel.local." table ", \"aw\"\n"                     \
	".balign 8\n" table ":\n.popsection\n" entries                         \
	".pushsection .data.rel.local." table ", \"aw\"\n.quad 0\n"            \
	".popsection\n"

__asm__(".text\n" TABLE("calls", CALL_FORMS(CALL))
		TABLE("others", OTHER_FORMS(OTHER)));

/* Ended by a 0. */
extern const uintptr_t calls[] __attribute__((visibility("hidden")));
extern const uintptr_t others[] __attribute__((visibility("hidden")));

Test(return_address, any_form_of_call_leaves_one)
{
	cr_assert(*calls);
	for (const uintptr_t *pc = calls; *pc; pc++)
		cr_assert(return_address_follows_call(*pc), "%td", pc - calls);
}

Test(return_address, no_other_instruction_leaves_one)
{
	cr_assert(*others);
	for (const uintptr_t *pc = others; *pc; pc++)
		cr_assert_not(return_address_follows_call(*pc), "%td",
			      pc - others);
}

/* The first form says where it goes, here to what follows it. */
Test(return_address, who_is_called_is_known_where_the_call_says_so)
{
	cr_assert_eq(return_address_callee(calls[0]), calls[0]);
	cr_assert_eq(return_address_callee(calls[1]), 0);
	cr_assert_eq(return_address_callee(others[0]), 0);
}

Test(return_address, what_can_not_be_read_is_none)
{
	cr_assert_not(return_address_follows_call(0));
	cr_assert_not(return_address_follows_call(UINTPTR_MAX));
	cr_assert_eq(return_address_callee(0), 0);
}
