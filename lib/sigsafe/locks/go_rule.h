/*
 * Go's rule of charging, bug for bug, for comparison (STALLSHIM_CHARGE=go).
 *
 * Go's runtime keeps two times for the waiters of a mutex: when the first in
 * the queue came and when the last one did. An unlock takes the first one out
 * and is charged its wait plus, for each other, the mean of the two:
 *
 *   dt0 + (dt0 + dtail) / 2 x waiters
 *
 * Then both times become now. Two details of it make the sums wrong: with two
 * in the queue the last one's time is read after it was set to now, and the
 * count of the others never falls from one to none. Where the times of those
 * between differ from a straight line the mean is wrong besides. Source:
 * semrelease1 and dequeue in Go's src/runtime/sema.go; golang/go#73760.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOCKS_GO_RULE_H
#define SIGSAFE_LOCKS_GO_RULE_H

#include "base/records.h"

/* A waiter comes; it has the lock; it gave up. Signal-safe. */
void go_rule_enter(struct go_queue *queue, uint64_t now_ns);
void go_rule_acquired(struct go_queue *queue);
void go_rule_gave_up(struct go_queue *queue);

/* What Go would charge an unlock at now_ns. Signal-safe. */
uint64_t go_rule_settle(struct go_queue *queue, uint64_t now_ns);

#endif
