/*
 * Places of locks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/lock_place.h"

#include "base/records.h"
#include "sigsafe/modules.h"
#include "sigsafe/own_stack.h"

uint64_t lock_place(const void *lock)
{
	uint64_t place = module_place(lock);

	if (!FRAME_MODULE(place) && own_stack_has((uintptr_t)lock))
		return PLACE_STACK;
	return place;
}
