/*
 * The arena: a chain of blocks, each a piece of what was asked for.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 65536u
#define ALIGNMENT   16u

struct arena_block {
	struct arena_block *next;
	size_t used;
	size_t size; /* of bytes */
	char bytes[] __attribute__((aligned(ALIGNMENT)));
};

static struct arena_block *new_block(struct arena *arena, size_t at_least)
{
	size_t size = at_least > BLOCK_BYTES ? at_least : BLOCK_BYTES;
	struct arena_block *block = calloc(1, sizeof(*block) + size);

	if (!block)
		abort();
	block->size = size;
	block->next = arena->blocks;
	arena->blocks = block;
	return block;
}

void *arena_alloc(struct arena *arena, size_t count, size_t size)
{
	struct arena_block *block = arena->blocks;
	size_t bytes;
	void *piece;

	if (__builtin_mul_overflow(count, size, &bytes) ||
	    __builtin_add_overflow(bytes, ALIGNMENT - 1, &bytes))
		abort();
	bytes &= ~(size_t)(ALIGNMENT - 1);
	if (!block || block->size - block->used < bytes)
		block = new_block(arena, bytes);
	piece = block->bytes + block->used;
	block->used += bytes;
	return piece;
}

char *arena_string(struct arena *arena, const char *text, size_t length)
{
	char *copy = arena_alloc(arena, length + 1, 1);

	memcpy(copy, text, length);
	return copy;
}

char *arena_print(struct arena *arena, const char *format, ...)
{
	va_list arguments;
	char *printed;
	char *copy;
	int length;

	va_start(arguments, format);
	length = vasprintf(&printed, format, arguments);
	va_end(arguments);
	if (length < 0)
		abort();
	copy = arena_string(arena, printed, (size_t)length);
	free(printed);
	return copy;
}

void arena_free(struct arena *arena)
{
	while (arena->blocks) {
		struct arena_block *next = arena->blocks->next;

		free(arena->blocks);
		arena->blocks = next;
	}
}
