/*
 * The parts of a function's time.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/parts.h"

#include <stdlib.h>

static int heaviest_first(const void *a, const void *b)
{
	const struct part *left = a;
	const struct part *right = b;

	return (left->total_ns < right->total_ns) -
	       (left->total_ns > right->total_ns);
}

void parts_add(struct parts *parts, const struct call *call, uint64_t ns)
{
	size_t i = 0;

	while (i < parts->count && compare_calls(parts->list[i].call, call))
		i++;
	if (i == MAX_CALLEES)
		return;
	if (i == parts->count)
		parts->list[parts->count++] = (struct part){ .call = call };
	parts->list[i].total_ns += ns;
}

void parts_heaviest(struct parts *parts, struct part heaviest[MAX_PARTS])
{
	qsort(parts->list, parts->count, sizeof(struct part), heaviest_first);
	for (size_t i = 0; i < MAX_PARTS; i++)
		heaviest[i] = i < parts->count ? parts->list[i]
					       : (struct part){ .call = NULL };
}
