/*
 * Go's rule of charging.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/locks/go_rule.h"

#include "base/atomic.h"
#include "sigsafe/os/machine.h"

#define MAX_SPINS 2000

/*
 * Guards the queue for a few instructions, and is only tried for, so that none
 * can hang on it: a change that is left out makes a comparison worse, no more.
 */
static bool try_lock(struct go_queue *queue)
{
	for (int spin = 0; spin < MAX_SPINS; spin++) {
		/* Acquire pairs with unlock(). */
		if (!exchange_acq_rel(&queue->locked, 1))
			return true;
		machine_relax();
	}
	return false;
}

static void unlock(struct go_queue *queue)
{
	store_release(&queue->locked, 0);
}

void go_rule_enter(struct go_queue *queue, uint64_t now_ns)
{
	if (!try_lock(queue))
		return;
	if (!queue->queued++) {
		queue->head_ns = now_ns;
		queue->others = 0;
	} else {
		queue->others++;
	}
	queue->tail_ns = now_ns;
	unlock(queue);
}

/* Until the one that was woken has the lock, Go's unlocks wake no other. */
void go_rule_acquired(struct go_queue *queue)
{
	if (!try_lock(queue))
		return;
	queue->is_one_awake = 0;
	unlock(queue);
}

/* Go's mutexes have no time-outs. */
void go_rule_gave_up(struct go_queue *queue)
{
	if (!try_lock(queue))
		return;
	if (queue->queued)
		queue->queued--;
	unlock(queue);
}

/* Takes the first one out. Returns when the last one came, as Go sees it. */
static uint64_t dequeue(struct go_queue *queue, uint64_t now_ns)
{
	uint64_t tail_ns = queue->tail_ns;

	if (--queue->queued == 0)
		return queue->head_ns;
	if (queue->queued == 1)
		tail_ns = now_ns;
	queue->head_ns = now_ns;
	queue->tail_ns = now_ns;
	return tail_ns;
}

uint64_t go_rule_settle(struct go_queue *queue, uint64_t now_ns)
{
	uint64_t head_wait_ns, tail_wait_ns, due_ns = 0;

	if (!try_lock(queue))
		return 0;
	if (queue->queued && !queue->is_one_awake) {
		head_wait_ns = now_ns - queue->head_ns;
		tail_wait_ns = now_ns - dequeue(queue, now_ns);
		due_ns = head_wait_ns +
			 (tail_wait_ns + head_wait_ns) / 2 * queue->others;
		if (queue->others > 1)
			queue->others--;
		queue->is_one_awake = 1;
	}
	unlock(queue);
	return due_ns;
}
