/*
 * Places of locks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/locks/lock_place.h"

#include "base/records.h"
#include "sigsafe/record/modules.h"
#include "sigsafe/stacks/own_stack.h"
#include "sigsafe/stacks/spare_stack.h"

struct wanted {
	const void *lock;
	uint64_t place;
};

/* Its module may be met first. */
static void find(void *argument)
{
	struct wanted *wanted = argument;

	wanted->place = module_place(wanted->lock);
}

uint64_t lock_place(const void *lock)
{
	struct wanted wanted = { .lock = lock };

	spare_stack_call_by_hook(NULL, find, &wanted);
	if (!FRAME_MODULE(wanted.place) && own_stack_has((uintptr_t)lock))
		return PLACE_STACK;
	return wanted.place;
}
