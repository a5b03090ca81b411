/*
 * What is owed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/locks/owed.h"

#include "sigsafe/locks/contention.h"

void owed_add(struct lock_record *lock, const void *address)
{
	/* Release pairs with the acquire in contention_settle(). */
	add_seq_cst(&lock->owed, 1);
	/* Either we see that it is retired, or contention_forget() sees us. */
	if (load_seq_cst(&lock->key) == LOCK_RETIRED)
		owed_forget(lock, address);
}

void owed_pay(struct lock_record *lock, const void *address, uint32_t owed)
{
	if (owed && cas_acq_rel(&lock->owed, &owed, 0))
		sub_release(contention_bucket(address), owed);
}

void owed_forget(struct lock_record *lock, const void *address)
{
	if (load_seq_cst(&lock->owed))
		sub_release(contention_bucket(address),
			    exchange_acq_rel(&lock->owed, 0));
}
