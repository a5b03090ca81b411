/*
 * The reader of texts (PREFIX.mutex.txt and its like), as lib/base/text.c
 * writes them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_TEXT_READER_H
#define REPORT_TEXT_READER_H

#include "report/process.h"

/* The first line of every text. */
#define TEXT_BEGINNING "--- contention:\n"

/*
 * Does this text belong to process, and add to what is known of it? A process
 * leaves one for each kind of sample.
 */
bool text_completes(const char *text, const struct process *process);

/*
 * Adds what text holds to process; changes text. False, with one clause that
 * says why in fault, where it is no text of ours. Not signal-safe: allocates.
 */
bool text_read(struct process *process, char *text, char *fault, size_t size);

#endif
