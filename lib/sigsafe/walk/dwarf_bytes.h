/*
 * Bytes in the encodings of DWARF, read one after the other and never past
 * their end. What would be past it, or can't be read, is 0, and is_bad from
 * then on. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WALK_DWARF_BYTES_H
#define SIGSAFE_WALK_DWARF_BYTES_H

#include "sigsafe/os/memory.h"

struct bytes {
	struct memory *memory; /* they are read by */
	uintptr_t at, end;
	bool is_bad;
};

/* Moves over count bytes, unread. Returns where they begin. */
static inline uintptr_t bytes_skip(struct bytes *bytes, uint64_t count)
{
	uintptr_t skipped = bytes->at;

	if (count > bytes->end - skipped) {
		bytes->at = bytes->end;
		bytes->is_bad = true;
		return skipped;
	}
	bytes->at += count;
	return skipped;
}

/* A number of size bytes, 1 to 8. */
static inline uint64_t bytes_number(struct bytes *bytes, unsigned size)
{
	uintptr_t at = bytes_skip(bytes, size);
	const uint8_t *view;
	uint64_t number = 0;

	if (bytes->is_bad)
		return 0;
	view = memory_view(bytes->memory, at, size);
	if (view)
		__builtin_memcpy(&number, view, size);
	else
		bytes->is_bad = true;
	return number;
}

static inline uint8_t bytes_u8(struct bytes *bytes)
{
	return (uint8_t)bytes_number(bytes, 1);
}

/* The next count bytes, apart; or none, and bad. */
static inline struct bytes bytes_part(struct bytes *bytes, uint64_t count)
{
	struct bytes part = *bytes;

	bytes_skip(bytes, count);
	part.end = bytes->is_bad ? part.at : bytes->at;
	part.is_bad = bytes->is_bad;
	return part;
}

/* LEB128 (DWARF 5, 7.6). */
uint64_t bytes_uleb(struct bytes *bytes);
int64_t bytes_sleb(struct bytes *bytes);

/*
 * A pointer as encoding (DW_EH_PE_...) says: absolute, or relative to its own
 * place. All other kinds are bad.
 */
uint64_t bytes_pointer(struct bytes *bytes, uint8_t encoding);

#endif
