/*
 * Values of options: one reader for each option. A reader sets its field of
 * *out and returns NULL; or leaves it alone and returns what it wants, to
 * follow the word "give". Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_OPTION_VALUE_H
#define BASE_OPTION_VALUE_H

#include "base/options.h"

typedef const char *option_reader(struct options *out, const char *value);

option_reader read_output, read_stall, read_mutex, read_waiters, read_min_wait,
	read_rate, read_charge, read_signal, read_depth, read_unwind, read_log,
	read_memory, read_children, read_only, read_quiet, read_keep, read_help;

#endif
