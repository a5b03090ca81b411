/*
 * The parts of a function's time: what it called meanwhile.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H

#include "report/process.h"

/* What a function was in: one it called, or itself. */
struct part {
	const struct call *call;
	uint64_t total_ns;
};

#define MAX_PARTS 3

#define MAX_CALLEES 64 /* the rest is nobody's: it would be small */

struct parts {
	struct part list[MAX_CALLEES];
	size_t count;
};

void parts_add(struct parts *parts, const struct call *call, uint64_t ns);

/* Zeroed where there are less. */
void parts_heaviest(struct parts *parts, struct part heaviest[MAX_PARTS]);

#endif
