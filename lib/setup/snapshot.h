/*
 * A snapshot of the live recording, in memory of our own: what the texts are
 * written from. Whoever writes to the file meanwhile does not reach it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_SNAPSHOT_H
#define SETUP_SNAPSHOT_H

#include "base/format.h"

/*
 * Copies all of rec, the live recording, that has been used. What is
 * constant in its header and its modules are as we know them, whatever is in
 * the file now; other records are as in the file, to be checked
 * (base/check_records.h). NULL: no memory. Signal-safe.
 */
struct recording *snapshot_take(const struct recording *rec);
void snapshot_release(struct recording *copy); /* or NULL */

#endif
