/*
 * Ticks as the shim's own: a signal to the thread by a timer of its own, the
 * handler with all signals blocked and on an alternate stack. It captures.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TICK_FIXTURE_H
#define TICK_FIXTURE_H

#include <time.h>

#include "base/units.h"

/* The signal. */
int fixture_tick_signal(void);

/* Installs the handler. */
void fixture_handle_ticks(void);

/* Ticks that captured a stack. */
uint32_t fixture_ticks(void);

/* Lets the calling thread tick every so often, until fixture_stop_ticks(). */
timer_t fixture_start_ticks(uint64_t period_ns);
void fixture_stop_ticks(timer_t timer);

#endif
