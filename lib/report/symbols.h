/*
 * Symbols: names for what a process has recorded as addresses. Not
 * signal-safe: allocates.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_SYMBOLS_H
#define REPORT_SYMBOLS_H

#include "report/object.h"
#include "report/process.h"

struct symbols;

/* Pairs with symbols_close(). */
struct symbols *symbols_open(void);
void symbols_close(struct symbols *symbols);

/*
 * Fills the calls of every stack of process, and the names of its locks. They
 * live as long as symbols.
 */
void symbols_name_all(struct symbols *symbols, struct process *process);

/*
 * The objects that were asked: the i-th, in the order of the questions, or
 * NULL behind the last.
 */
const struct object *symbols_object(const struct symbols *symbols, size_t i);

#endif
