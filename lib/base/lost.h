/*
 * What a recording has lost, in words. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_LOST_H
#define BASE_LOST_H

#include "base/format.h"

/* The reason as in LOST_REASONS. */
const char *lost_text(enum lost_reason reason);

/* How often, for this reason. */
uint64_t lost_count(const struct recording *rec, enum lost_reason reason);

/* How often, for all reasons. */
uint64_t lost_total(const struct recording *rec);

/* The reason that counts most. */
enum lost_reason lost_most(const struct recording *rec);

#endif
