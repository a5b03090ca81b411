/*
 * The head of a text: what was watched, the law, the loops, what was lost.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_TEXT_HEADER_H
#define BASE_TEXT_HEADER_H

#include "base/format.h"
#include "base/pen.h"

/* From "--- contention:" to the blank line. Signal-safe. */
void text_header_write(struct pen *pen, const struct recording *rec,
		       enum sample_kind kind, uint64_t now_ns);

#endif
