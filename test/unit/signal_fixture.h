/*
 * A process whose signals have been taken over, for the unit tests: a recording
 * that only counts, ticks made by hand, and children that die.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_SIGNAL_FIXTURE_H
#define TEST_SIGNAL_FIXTURE_H

#include <signal.h>

#include "base/format.h"

/* Takes the signals over, once a test. chosen: as host_signal_start() has it.
 */
struct recording *signals_start(int chosen);

/* Sends the calling thread what its timer would send by sig. */
void send_tick(int sig);

/* Runs function in a forked child: its wait status. Within ten seconds. */
int status_of_child(void (*function)(void));

/* What the last words of children have been so far: their signal numbers. */
int last_words_said(void);

/* The host's disposition of sig, as it is told of it. */
struct sigaction told(int sig);

/* host_sigaction() with nothing but a handler; it must succeed. */
void handle(int sig, void (*handler)(int));

/* Has the kernel our handler for sig? */
bool is_caught(int sig);

#endif
