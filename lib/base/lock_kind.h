/*
 * The kinds of lock: their words. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_LOCK_KIND_H
#define BASE_LOCK_KIND_H

#include "base/records.h"

/* What texts and reports call it; "" for an unknown number. */
const char *lock_kind_text(uint32_t kind);

/* The kind with this word; LOCK_MUTEX where there is none. */
enum lock_kind lock_kind_named(const char *word);

#endif
