/*
 * Names of functions as their authors wrote them. Not signal-safe: allocates.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_DEMANGLE_H
#define REPORT_DEMANGLE_H

#include "report/arena.h"

/*
 * The name behind a symbol: C++ and Rust demangled without parameters, copies
 * the compiler made (.cold, .part.0, ...) under the name of their original,
 * long template arguments left out. A name of more than 64 KiB is left mangled.
 * Fit for a terminal's line, as words_name() makes it.
 */
const char *demangle(struct arena *arena, const char *symbol);

#endif
