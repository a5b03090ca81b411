/*
 * Return addresses: can a word be one? Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WALK_RETURN_ADDRESS_H
#define SIGSAFE_WALK_RETURN_ADDRESS_H

#include "base/units.h"

/* Is the instruction in front of it a call? False: or it can't be read. */
bool return_address_follows_call(uintptr_t pc);

/*
 * The function that this call goes to, straight or by a procedure linkage
 * table; 0: it can't be told.
 */
uintptr_t return_address_callee(uintptr_t pc);

#endif
