/*
 * Counting those who leave a shared lock.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/locks/shared_release.h"

#include "base/atomic.h"
#include "sigsafe/live.h"
#include "sigsafe/locks/lock_table.h"

static struct lock_record *find(struct recording *rec, const void *lock)
{
	struct lock_record *record = rec ? lock_find(rec, lock) : NULL;

	return record && lock_pin(record, lock) ? record : NULL;
}

struct shared_release shared_release_begin(const void *lock)
{
	struct shared_release release = { .recording = live_recording() };

	release.lock = find(release.recording, lock);
	/* Ordered before the look at the lock that follows. */
	if (release.lock)
		release.leaving = add_seq_cst(&release.lock->leaving, 1) + 1;
	return release;
}

void shared_release_end(const struct shared_release *release)
{
	/* A child that was forked meanwhile has no part in it. */
	if (!release->lock || release->recording != live_recording())
		return;
	/* Release pairs with the above: who no longer counts us sees us gone,
	 * or else the ledger settled.
	 */
	sub_release(&release->lock->leaving, 1);
	lock_unpin(release->lock);
}
