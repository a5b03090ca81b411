/*
 * A loop that stalls, in a program with an allocator of its own, which must not
 * be used any more once its destructor has run: whoever does is told of, and
 * the program ends with status 9 instead of 5.
 *
 * usage: victim_own_malloc
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "victim.h"

#define STALL_NS   (20 * NS_PER_MS)
#define POOL_BYTES (16u << 20)
#define UNIT	   16u

static _Alignas(UNIT) char pool[POOL_BYTES];
static size_t taken;
static bool is_over;

static void refuse_after_the_end(const char *who, size_t length)
{
	if (!is_over)
		return;
	if (write(STDOUT_FILENO, who, length) > 0)
		_exit(9);
}

/* In front of each piece is its size. */
static void *take(size_t bytes, size_t alignment)
{
	size_t whole = (bytes + alignment + 2 * UNIT) / UNIT * UNIT;
	size_t at = __atomic_fetch_add(&taken, whole, __ATOMIC_RELAXED);
	uintptr_t start = (uintptr_t)pool + at + UNIT;

	if (at + whole > POOL_BYTES)
		return NULL;
	start = (start + alignment - 1) / alignment * alignment;
	((size_t *)start)[-1] = bytes;
	return (void *)start;
}

void *malloc(size_t bytes)
{
	refuse_after_the_end("malloc\n", 7);
	return take(bytes, UNIT);
}

/* The pool is all zeroes, and nothing of it is taken twice. */
void *calloc(size_t count, size_t bytes)
{
	refuse_after_the_end("calloc\n", 7);
	return take(count * bytes, UNIT);
}

void *realloc(void *had, size_t bytes)
{
	void *piece;
	size_t had_bytes = had ? ((size_t *)had)[-1] : 0;

	refuse_after_the_end("realloc\n", 8);
	piece = take(bytes, UNIT);
	if (piece && had)
		memcpy(piece, had, had_bytes < bytes ? had_bytes : bytes);
	return piece;
}

void *memalign(size_t alignment, size_t bytes)
{
	refuse_after_the_end("memalign\n", 9);
	return take(bytes, alignment < UNIT ? UNIT : alignment);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
	return memalign(alignment, bytes);
}

int posix_memalign(void **piece, size_t alignment, size_t bytes)
{
	*piece = memalign(alignment, bytes);
	return *piece ? 0 : ENOMEM;
}

void free(void *had)
{
	if (had)
		refuse_after_the_end("free\n", 5);
}

static __attribute__((destructor)) void end(void)
{
	is_over = true;
}

static __attribute__((noinline)) void callback(void)
{
	spin(STALL_NS);
	KEEP_FRAME();
}

int main(void)
{
	for (int i = 0; i < 10; i++)
		poll(NULL, 0, 1);
	callback();
	poll(NULL, 0, 1);
	return 5;
}
