/*
 * Captured stacks, for unit tests to look at.
 *
 * SPDX-License-Identifier: MIT
 */
#include "stack_fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "recording_fixture.h"
#include "setup/unwinder.h"
#include "sigsafe/live.h"
#include "sigsafe/record/modules.h"
#include "sigsafe/walk/stack.h"

void fixture_start_unwinder(void)
{
	const char *complaint;

	fixture_recording(8 << 20);
	unwinder_prepare(environ, MAX_DEPTH);
	complaint = unwinder_start(UNWIND_AUTO, MAX_DEPTH);
	cr_assert_null(complaint, "%s", complaint);
}

const struct stack_record *fixture_stack(uint32_t place)
{
	const uint64_t *arena =
		section_records(live_recording(), SECTION_STACKS);

	cr_assert_neq(place, 0);
	return (const struct stack_record *)&arena[place];
}

uint64_t fixture_frame(const void *return_address)
{
	struct locator locator = { .recording = live_recording() };

	return modules_locate(&locator, (uintptr_t)return_address, 1).word;
}

int fixture_find(const struct stack_record *stack, uint64_t frame)
{
	for (uint32_t i = 0; i < stack->depth; i++)
		if (stack->frame[i] == frame)
			return (int)i;
	return -1;
}

void fixture_frame_text(uint64_t frame, char *text, size_t size)
{
	const struct module_record *modules =
		section_records(live_recording(), SECTION_MODULES);

	snprintf(text, size, "%s(+0x%lx)", modules[FRAME_MODULE(frame)].path,
		 (unsigned long)FRAME_OFFSET(frame));
}

__attribute__((noinline)) uint32_t fixture_hook(void)
{
	uint32_t place = stack_capture(NULL, __builtin_return_address(0));

	/* Not the last call: the hook has a frame of its own. */
	__asm__ volatile("");
	return place;
}
