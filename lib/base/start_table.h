/*
 * Where functions start, by the search table of an .eh_frame_hdr section, which
 * stripped files have too: their starts in order (LSB Core 5.0, "10.6.2. The
 * .eh_frame_hdr section"). Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_START_TABLE_H
#define BASE_START_TABLE_H

#include "base/units.h"

/* Lies in the section's bytes, which outlive it. */
struct start_table {
	const struct start_entry *entry;
	uint32_t count; /* 0: there is none, or it is of another kind */
	uint64_t address;
};

/* data: of a section at address, 4-aligned; NULL: there is none. */
struct start_table start_table_of(const void *data, size_t bytes,
				  uint64_t address);

/* How many starts are not behind address. */
uint32_t start_table_count(const struct start_table *table, uint64_t address);

/* The i-th start, by address. */
uint64_t start_table_at(const struct start_table *table, uint32_t i);

#endif
