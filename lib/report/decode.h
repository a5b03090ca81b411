/*
 * Decoding: from a checked recording to a process.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_DECODE_H
#define REPORT_DECODE_H

#include "report/process.h"

/* Fills process. Nothing of rec is used later. Not signal-safe: allocates. */
void decode_recording(struct process *process, const struct recording *rec);

#endif
