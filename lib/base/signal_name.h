/*
 * Signals by name. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_SIGNAL_NAME_H
#define BASE_SIGNAL_NAME_H

/*
 * The number of SIGUSR1, SIGRTMIN+2, SIGRTMAX-1 or 10, or 0 where the text is
 * no signal or one that can't carry ticks: those that can't be caught, those
 * the processor raises, those that end programs, and 32 and 33, which are
 * libc's own.
 */
int signal_for_ticks(const char *text);

#endif
