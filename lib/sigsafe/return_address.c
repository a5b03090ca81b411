/*
 * Return addresses.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/return_address.h"

#include "sigsafe/machine.h"
#include "sigsafe/memory.h"

bool return_address_follows_call(uintptr_t pc)
{
	uint8_t code[MACHINE_CALL_BYTES + 1];

	return memory_copy(code, (const void *)(pc - MACHINE_CALL_BYTES),
			   sizeof(code)) &&
	       machine_follows_call(code + MACHINE_CALL_BYTES);
}
