/*
 * Where a handler of the host runs: never on our alternate stack, where the
 * kernel enters it in a thread that has one. Handler only.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_SIGNALS_HANDLER_PLACE_H
#define SIGSAFE_SIGNALS_HANDLER_PLACE_H

#include <signal.h>
#include <ucontext.h>

#include "sigsafe/os/machine.h"

/*
 * Was signal_entry() entered with this context for a handler of the host's,
 * and where none of them runs? (Where it has interrupted one of ours there it
 * stays below that one.) Of signals that come at one instant the kernel enters
 * one on top of the other, before the first instruction of each; and one may
 * come at any instruction until that before it is in its place. Those below are
 * put in their place by this. way_back: this handler's return address.
 */
bool handler_is_out_of_place(int sig, ucontext_t *uc, const void *way_back);

/*
 * Enters signal_entry() once more, in the place that the kernel would have
 * chosen. Returns only where there is no room, or none that can be written:
 * then, as natively, what was interrupted gets SIGSEGV as soon as the caller's
 * handler returns.
 */
void handler_put_in_place(int sig, ucontext_t *uc, const void *way_back);

/*
 * To be called once where uc's handler is to go on: where it was entered. Until
 * then it may be put in its place at any instant.
 */
void handler_stays(ucontext_t *uc);

/* Was this signal made by handler_put_in_place()? Then it goes on. */
bool handler_place_is_refused(const siginfo_t *info, ucontext_t *uc);

#endif
