/*
 * Quantities as people write them: a number and its unit. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_QUANTITY_H
#define BASE_QUANTITY_H

#include "base/units.h"

/* The whole of text is "0" or a number with ns, us, ms or s: 10ms, 1.5s. */
bool quantity_time(const char *text, uint64_t *ns);

/* The whole of text is "0" or a number with K, M or G: 64K, 8M, 1.5G. */
bool quantity_size(const char *text, uint64_t *bytes);

/* The whole of text is a number of things, without a unit. */
bool quantity_count(const char *text, uint64_t *count);

#endif
