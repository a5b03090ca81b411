/*
 * How the memory of a recording is shared out among its sections.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_LAYOUT_H
#define SETUP_LAYOUT_H

#include "base/format.h"

#define MIN_RECORDING_BYTES (UINT64_C(256) << 10)

/*
 * Lays out a recording of `bytes` in zeroed memory: sections and sizes, not
 * the identity, not the magic. Signal-safe.
 */
void layout_sections(struct recording *rec, uint64_t bytes);

/* The first offset from this one on at which a section may begin. */
uint64_t layout_align(uint64_t offset);

#endif
