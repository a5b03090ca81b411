/*
 * What becomes of a signal that was sent to another thread, or to the process.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_SIGNALS_COMING_H
#define SIGSAFE_SIGNALS_COMING_H

#include <stdbool.h>

/*
 * Has one of the others taken sig that was sent, or can one take it at once?
 * False: whoever it waits for has it blocked; or it is not known, without
 * /proc. Reads files: only for what is slow already. Signal-safe.
 */
bool signal_is_coming(int sig);

#endif
