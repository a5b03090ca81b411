/*
 * The objects that the program starts with: they are never unloaded. Signal-
 * safe.
 *
 * The loader's list has them first, in the order in which each was needed;
 * behind them what has been loaded since. For a library with -z initfirst may
 * have its constructor run before ours, and what it loads can go again. So they
 * end with the last one that an earlier one of them needs by name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WALK_STARTERS_H
#define SIGSAFE_WALK_STARTERS_H

#include <link.h>
#include <stdbool.h>

bool starters_have(const struct link_map *map);

/*
 * Called once, at the start, with the head of the loader's list: the program.
 */
void starters_note(const struct link_map *program);

#endif
