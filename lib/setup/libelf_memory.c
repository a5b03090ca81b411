/*
 * Memory for libelf.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/libelf_memory.h"

#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic.h"
#include "setup/own_memory.h"

/*
 * The thread pointer of who is between libelf_memory_begin() and its end, or
 * NULL. Relaxed: others need only see that it is not theirs.
 */
static const void *taker;

static bool takes_ours(void)
{
	return load_relaxed(&taker) == __builtin_thread_pointer();
}

/* That thread's. */
static struct own_memory memory;

/* In front of each piece. */
struct piece {
	alignas(max_align_t) size_t bytes;
};

static void *take(size_t count, size_t bytes)
{
	struct piece *piece = NULL;

	if (!__builtin_mul_overflow(count, bytes, &bytes) &&
	    bytes <= SIZE_MAX - sizeof(*piece))
		piece = own_memory_take(&memory, 1, sizeof(*piece) + bytes);
	if (!piece)
		return NULL;
	piece->bytes = bytes;
	return piece + 1;
}

static void *take_instead(void *had, size_t bytes)
{
	const struct piece *piece = had;
	void *taken = take(1, bytes);

	if (taken && had)
		memcpy(taken, had, min_u64(piece[-1].bytes, bytes));
	return taken;
}

static void *allocate(size_t bytes)
{
	return takes_ours() ? take(1, bytes) : malloc(bytes);
}

static void *allocate_zeroes(size_t count, size_t bytes)
{
	return takes_ours() ? take(count, bytes) : calloc(count, bytes);
}

static void *allocate_again(void *had, size_t bytes)
{
	return takes_ours() ? take_instead(had, bytes) : realloc(had, bytes);
}

static void release(void *had)
{
	if (!takes_ours())
		free(had);
}

/* Used for what is written alone. */
static int allocate_aligned(void **taken, size_t alignment, size_t bytes)
{
	return takes_ours() ? ENOMEM : posix_memalign(taken, alignment, bytes);
}

/* As the loader's ABI has it. */
struct tls_index {
	unsigned long module, offset;
};

/* The loader's: another libc's has none of that name, and there is no libelf.
 */
extern void *__tls_get_addr(struct tls_index *index);
#pragma weak __tls_get_addr

/* Thread-local variables are made at their first use, by malloc(). */
static void *find_variable(struct tls_index *index)
{
	/* libelf's one is the number of its last error. */
	static alignas(max_align_t) char variables[256];

	return takes_ours() ? variables + index->offset : __tls_get_addr(index);
}

static const struct function {
	const char *name;
	void *ours;
	bool is_needed;
} functions[] = {
	{ "malloc", allocate, true },
	{ "calloc", allocate_zeroes, true },
	{ "realloc", allocate_again, true },
	{ "free", release, true },
	{ "posix_memalign", allocate_aligned, false },
	{ "__tls_get_addr", find_variable, false },
};

/* Of the functions, as bits: those that were asked for. */
static unsigned asked_for;

void *libelf_memory_function(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		if (strcmp(functions[i].name, name))
			continue;
		asked_for |= 1u << i;
		return functions[i].ours;
	}
	return NULL;
}

bool libelf_memory_is_complete(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (functions[i].is_needed && !(asked_for & 1u << i))
			return false;
	return true;
}

void libelf_memory_begin(void)
{
	store_relaxed(&taker, __builtin_thread_pointer());
}

void libelf_memory_end(void)
{
	store_relaxed(&taker, NULL);
	own_memory_release(&memory);
}
