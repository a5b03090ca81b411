/*
 * Return addresses.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walk/return_address.h"

#include "sigsafe/os/machine.h"
#include "sigsafe/os/memory.h"

/* The bytes in front of pc, and the one there. */
struct call_code {
	uint8_t byte[MACHINE_CALL_BYTES + 1];
};

static bool read_code(struct call_code *code, uintptr_t pc)
{
	return memory_copy(code, (const void *)(pc - MACHINE_CALL_BYTES),
			   sizeof(*code));
}

bool return_address_follows_call(uintptr_t pc)
{
	struct call_code code;

	return read_code(&code, pc) &&
	       machine_follows_call(code.byte + MACHINE_CALL_BYTES);
}

/* Where code at address goes on at once; itself, if it does something else. */
static uintptr_t behind_linkage(uintptr_t address)
{
	uint8_t code[MACHINE_JUMP_BYTES];
	uintptr_t slot, to;

	if (!memory_copy(code, (const void *)address, sizeof(code)))
		return 0;
	slot = machine_jump_slot(code, address);
	if (!slot)
		return address;
	return memory_copy(&to, (const void *)slot, sizeof(to)) ? to : 0;
}

uintptr_t return_address_callee(uintptr_t pc)
{
	struct call_code code;
	uintptr_t target;

	if (!read_code(&code, pc))
		return 0;
	target = machine_call_target(code.byte + MACHINE_CALL_BYTES, pc);
	return target ? behind_linkage(target) : 0;
}
