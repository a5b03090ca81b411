/*
 * Familiar calls: those that every program makes, and that nobody means when
 * they ask which function is to blame.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_FAMILIAR_H
#define REPORT_FAMILIAR_H

#include "report/process.h"

/*
 * Is it libc's, the language's, of a library that packs or encrypts for
 * everybody, a helper that was inlined, or an address without a file?
 */
bool is_familiar(const struct call *call);

/* Is an object of this base name one of every program's? */
bool is_familiar_object(const char *name);

/*
 * The place of the first call that is the program's own; 0 where there is
 * none. The stack has been named.
 */
uint32_t stack_headline(const struct stack *stack);

/* Or is it called after its place, as in app+0x1234? */
bool has_name(const struct call *call);

/* The number of calls without the familiar ones that start a thread. */
uint32_t stack_shown(const struct stack *stack);

#endif
