/*
 * Stalls that last: of a recording that is read while a run has not come back,
 * or that ended before it did.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_LASTING_H
#define BASE_LASTING_H

#include "base/format.h"

/*
 * What has been seen of it. Up to the latest tick its time is in samples; from
 * then on only that of a call it is blocked in is known, as no tick comes
 * there. A stall without a tick and without such a call is unseen.
 */
struct lasting {
	uint64_t ns;	   /* 0: the thread has none */
	uint64_t rest_ns;  /* of it, in no sample: it is blocked */
	uint64_t rest_key; /* of the sample that would be; 0: no rest */
	bool is_unseen;
};

/*
 * The stall that a loop's thread is in at now_ns, in a (checked) recording.
 * Signal-safe.
 */
struct lasting lasting_of(const struct recording *rec,
			  const struct thread_record *thread, uint64_t now_ns);

#endif
