/*
 * The checks of a recording's copy: nothing in a file is trusted.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_CHECK_H
#define REPORT_CHECK_H

#include "base/format.h"

/*
 * Does the header describe a recording that lies in file_bytes? If not, one
 * clause that says why is in fault. Ends the header's strings.
 */
bool check_header(struct recording *header, uint64_t file_bytes, char *fault,
		  size_t size);

/*
 * Wipes each record that refers to what is not there, and returns their
 * number; ends the strings of the others. The header has been checked.
 */
uint64_t check_records(struct recording *rec);

/* The stack at this place of the arena, or NULL: there is no sound one. */
const struct stack_record *check_stack(const struct recording *rec,
				       uint32_t place);

#endif
