/*
 * The end of the process: which thread writes the results, and when. Not before
 * a signal has had its time that the process may die of instead. One at a
 * time does, since the buffers for that are static. An exec may fail: then its
 * end is taken back, unless another has overridden it meanwhile.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETUP_ENDING_H
#define SETUP_ENDING_H

#include <stdbool.h>

/* A process begins, that has no end yet. Signal-safe, as all below. */
void ending_reset(void);

/*
 * Is it for the caller to write the results? Then ending_written() must follow,
 * soon. If not, they have been written, or there was no time for that: waits
 * for another thread that writes them, for 2 s at most. An exec that is about
 * to be tried (is_exec) gives way to any other end, and to an exec before it.
 */
bool ending_begin(bool is_exec);
void ending_written(bool is_exec);

/*
 * The exec for which the caller has written them has failed. False: another end
 * has come meanwhile, and stays. Else ending_goes_on() must follow, soon.
 */
bool ending_take_back(void);
void ending_goes_on(void);

/* As session_exit_begins() has it. */
void ending_exit_begins(void);

#endif
