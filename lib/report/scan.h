/*
 * Scanning: takes a line apart from its beginning on.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_SCAN_H
#define REPORT_SCAN_H

#include "base/units.h"

/* Each moves *at behind what it takes; where it is not there, false. */

bool scan_text(char **at, const char *text);

/* At least one digit of base 10 or 16. Numbers too large stop at the largest.
 */
bool scan_number(char **at, unsigned base, uint64_t *number);

#endif
