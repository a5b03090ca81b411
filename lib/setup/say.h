/*
 * The shim's only voice: one line on the host's stderr.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_SAY_H
#define SETUP_SAY_H

#include "base/units.h"

/* Remembers what stderr is. From the constructor, once. Signal-safe. */
void say_start(void);

/*
 * Writes "stallshim: sentence". Says nothing once descriptor 2 has become
 * another file than it was at the start: it may be the host's data.
 * Signal-safe.
 */
void say(const char *sentence);

/* Writes text as it is. Signal-safe. */
void say_plainly(void *unused, const char *text);

/* Is stderr a terminal, and still the one it was? Signal-safe. */
bool say_to_terminal(void);

#endif
