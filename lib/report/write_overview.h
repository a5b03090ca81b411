/*
 * The overview of many processes: a row for each, what stalled most first.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_WRITE_OVERVIEW_H
#define REPORT_WRITE_OVERVIEW_H

#include <stdio.h>

#include "report/load.h"

/*
 * Prints it, with so many rows at most; of the others what they come to. Not
 * signal-safe: allocates.
 */
void write_overview(const struct processes *processes, size_t rows, FILE *out);

#endif
