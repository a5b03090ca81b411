/*
 * Memory that is not the host's.
 *
 * SPDX-License-Identifier: MIT
 */
#include "setup/own_memory.h"

#include <stdalign.h>
#include <sys/mman.h>

#include "sigsafe/os/memory.h"
#include "sigsafe/os/sys.h"

/* So much is mapped at once; what is larger than a part of it, by itself. */
#define BLOCK_BYTES (UINT64_C(256) << 10)
#define LARGE_BYTES (BLOCK_BYTES / 4)

#define ALIGNMENT alignof(max_align_t)

struct own_block {
	alignas(max_align_t) struct own_block *next;
	size_t bytes; /* with this */
};

static size_t round_up(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

/* One with room for so many. */
static struct own_block *map_block(struct own_memory *memory, size_t bytes)
{
	struct own_block *block;
	long at;

	bytes = round_up(sizeof(*block) + bytes, PAGE_BYTES);
	at = sys6(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sys_failed(at))
		return NULL;
	block = (void *)at;
	*block = (struct own_block){ memory->blocks, bytes };
	memory->blocks = block;
	return block;
}

static bool has_room(struct own_memory *memory, size_t bytes)
{
	struct own_block *block;

	if (bytes <= memory->free_bytes)
		return true;
	block = map_block(memory, BLOCK_BYTES - sizeof(*block));
	if (!block)
		return false;
	memory->free = (char *)(block + 1);
	memory->free_bytes = BLOCK_BYTES - sizeof(*block);
	return true;
}

void *own_memory_take(struct own_memory *memory, size_t count, size_t bytes)
{
	struct own_block *block;
	char *taken;

	if (__builtin_mul_overflow(count, bytes, &bytes) ||
	    bytes > PTRDIFF_MAX - BLOCK_BYTES)
		return NULL;
	bytes = round_up(bytes + !bytes, ALIGNMENT);
	if (bytes > LARGE_BYTES) {
		block = map_block(memory, bytes);
		return block ? block + 1 : NULL;
	}
	if (!has_room(memory, bytes))
		return NULL;
	taken = memory->free;
	memory->free += bytes;
	memory->free_bytes -= bytes;
	return taken;
}

void own_memory_release(struct own_memory *memory)
{
	struct own_block *block = memory->blocks, *next;

	for (; block; block = next) {
		next = block->next;
		sys2(SYS_munmap, block, (long)block->bytes);
	}
	*memory = (struct own_memory){ .blocks = NULL };
}
