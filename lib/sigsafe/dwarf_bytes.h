/*
 * Bytes in the encodings of DWARF, read one after the other and never past
 * their end. What would be past it is 0, and is_bad from then on. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_DWARF_BYTES_H
#define SIGSAFE_DWARF_BYTES_H

#include "base/units.h"

struct bytes {
	const uint8_t *at, *end;
	bool is_bad;
};

/* Moves over count bytes. Returns where they begin, or NULL. */
static inline const uint8_t *bytes_take(struct bytes *bytes, uint64_t count)
{
	const uint8_t *taken = bytes->at;

	if (count > (uint64_t)(bytes->end - taken)) {
		bytes->at = bytes->end;
		bytes->is_bad = true;
		return NULL;
	}
	bytes->at += count;
	return taken;
}

/* A number of size bytes, 1 to 8. */
static inline uint64_t bytes_number(struct bytes *bytes, unsigned size)
{
	const uint8_t *taken = bytes_take(bytes, size);
	uint64_t number = 0;

	if (taken)
		__builtin_memcpy(&number, taken, size);
	return number;
}

static inline uint8_t bytes_u8(struct bytes *bytes)
{
	return (uint8_t)bytes_number(bytes, 1);
}

/* The next count bytes, apart; or none, and bad. */
static inline struct bytes bytes_part(struct bytes *bytes, uint64_t count)
{
	const uint8_t *taken = bytes_take(bytes, count);

	return (struct bytes){ .at = taken ? taken : bytes->at,
			       .end = bytes->at,
			       .is_bad = !taken };
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
