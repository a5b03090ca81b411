/*
 * The checks of a recording's copy, whose header has been found sound: nothing
 * in a file is trusted.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_CHECK_RECORDS_H
#define BASE_CHECK_RECORDS_H

#include "base/format.h"

/*
 * Wipes each record that refers to what is not there, and returns their
 * number; ends the strings of the others. Where only a stack is missing that
 * a record is not of, but tells of, the record stays. Signal-safe.
 */
uint64_t check_records(struct recording *rec);

/*
 * The stack at this place of the arena, or NULL: there is no sound one.
 * Signal-safe.
 */
const struct stack_record *check_stack(const struct recording *rec,
				       uint32_t place);

#endif
