/*
 * What the header of a recording says from the start: whose it is, since when,
 * and by which options.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_HEADER_H
#define SETUP_HEADER_H

#include "base/format.h"
#include "base/options.h"

/* Of the calling process, now. Signal-safe. */
void header_fill(struct recording *rec, const struct options *options);

#endif
