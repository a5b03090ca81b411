/*
 * An arena: memory that is freed all at once. Not signal-safe: allocates, and
 * aborts where there is no memory: a report has nothing to say without.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_ARENA_H
#define REPORT_ARENA_H

#include "base/units.h"

struct arena {
	struct arena_block *blocks; /* NULL: empty */
};

/* count zeroed records of size bytes. */
void *arena_alloc(struct arena *arena, size_t count, size_t size);

/* The first length bytes of text, as a string. */
char *arena_string(struct arena *arena, const char *text, size_t length);

char *arena_print(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

void arena_free(struct arena *arena);

#endif
